// Scores pages of this machine by the observatory's own tests, and prints what it found of each.
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
const { ALL_TESTS, ALGORITHM_VERSION } = await of("constants.js");
const { getScoreModifier, getGradeForScore } = await of("grader/grader.js");
const { SCORE_TABLE, MINIMUM_SCORE_FOR_EXTRA_CREDIT } = await of("grader/charts.js");

async function answered(path) {
  for (let attempt = 0; attempt < 600; attempt++) {
    const seen = await retrieve("localhost", { httpsPort: Number(port), httpPort: 1, path });
    if (seen.responses.auto) return seen;
    await new Promise((done) => setTimeout(done, 200)); // the site is starting
  }
  throw new Error("The site does not answer.");
}

// As its scanner/index.js adds up; the scanner itself takes no port.
const best = Object.fromEntries([...SCORE_TABLE].map(([name, row]) => [name, row.modifier]));
const results = {};
for (const path of paths) {
  const seen = await answered(path);
  const tests = {};
  let score = 100;
  let uncurved = 100;
  for (const test of ALL_TESTS) {
    const found = test(seen);
    const points = getScoreModifier(found.result);
    tests[found.constructor.name] = { result: found.result, pass: found.pass, points };
    score += points;
    uncurved += Math.min(points, 0);
  }
  score = uncurved >= MINIMUM_SCORE_FOR_EXTRA_CREDIT ? score : uncurved;
  const { grade } = getGradeForScore(score);
  results[path] = { version: ALGORITHM_VERSION, score, grade, tests, best };
}
console.log(JSON.stringify(results));
