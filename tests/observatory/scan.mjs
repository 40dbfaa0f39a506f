// Runs the observatory's own tests on pages of this machine, and prints their results by page.
// Arguments: the folder with node_modules, the port that speaks HTTPS, the pages' paths.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, port, ...paths] = process.argv.slice(2);
const home = join(folder, "node_modules", "@mdn", "mdn-http-observatory");
// The list of preloaded hosts that its installation downloads: localhost is not on it.
mkdirSync(join(home, "conf"), { recursive: true });
writeFileSync(join(home, "conf", "hsts-preload.json"), "{}");

const of = (file) => import(pathToFileURL(join(home, "src", file)).href);
const { retrieve } = await of("retriever/retriever.js");
const { ALL_TESTS } = await of("constants.js");

async function answered(path) {
  for (let attempt = 0; attempt < 600; attempt++) {
    const seen = await retrieve("localhost", { httpsPort: Number(port), httpPort: 1, path });
    if (seen.responses.auto) return seen;
    await new Promise((done) => setTimeout(done, 200)); // the site is starting
  }
  throw new Error("The site does not answer.");
}

// The observatory's scanner itself takes no port.
const results = {};
for (const path of paths) {
  const seen = await answered(path);
  const found = ALL_TESTS.map((test) => test(seen));
  results[path] = Object.fromEntries(found.map((row) => [row.constructor.name, row.result]));
}
console.log(JSON.stringify(results));
