// The text, author and date that Readability and defuddle find in the pages of a folder, as JSON.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [programs, folder, report, url] = process.argv.slice(2);
const require = createRequire(join(programs, "package.json"));
const { JSDOM } = require("jsdom");
const { Readability } = require("@mozilla/readability");
const { Defuddle } = await import(pathToFileURL(join(programs, "node_modules/defuddle/dist/node.js")));

const found = {};
for (const name of readdirSync(folder)) {
  const html = readFileSync(join(folder, name), "utf8");
  const read = new Readability(new JSDOM(html, { url }).window.document).parse();
  const clipped = await Defuddle(html, url);
  const text = new JSDOM(clipped.content).window.document.body.textContent;
  found[name] = {
    Readability: [read.title, read.byline, read.publishedTime, read.textContent],
    defuddle: [clipped.title, clipped.author, clipped.published, text],
  };
}
writeFileSync(report, JSON.stringify(found));
