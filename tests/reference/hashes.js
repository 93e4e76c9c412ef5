// The content hash of a configuration, and the id of a file, as platform.md describes them (A24, "Blueprint ids").
// stdin: [{config} | {path}]; stdout: [text, null where the platform cannot tell].
const {createHash} = require("crypto");

const settings = ({temperatures: several, temperature}) => {
  if (!(several && several.length > 0)) return temperature;
  return several.length === 1 ? several[0] : [...several].sort();
};

const hash = (config) => {
  const prompts = config.prompts.map(({id, promptText, idealResponse, system, points, weight}) =>
    ({id, promptText, idealResponse, system, points, weight}));
  const text = JSON.stringify({
    models: [...config.models].sort(),
    system: config.system,
    systems: config.systems ? [...config.systems].sort() : undefined,
    prompts: prompts.sort((a, b) => (a.id || "").localeCompare(b.id || "")),
    temperatureSettings: settings(config),
  });
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
};

const idOf = (path) =>
  [/\.civic\.ya?ml$/, /\.weval\.ya?ml$/, /\.ya?ml$/, /\.json$/].reduce((name, end) => name.replace(end, ""), path)
    .replaceAll("/", "__");

const answer = ({config, path}) => {
  try { return path === undefined ? hash(config) : idOf(path); } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
};

const rows = JSON.parse(require("fs").readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(rows.map(answer)));
