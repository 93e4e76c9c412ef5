// A blueprint's normalised form as platform.md (A11-A21, A25, A35, A38, A39) describes it.
// stdin: [{text}], each JSON text or null for YAML in `yaml`; stdout: [config as JSON text | null where it is refused].
const {createHash} = require("crypto");

const isText = (value) => typeof value === "string";
const isObject = (value) => typeof value === "object" && value !== null;
const isBetween = (value, low, high) => typeof value === "number" && !(value < low || value > high);
const demand = (condition) => { if (!condition) throw new Error("refused"); };
const isOneOf = (value, names) => !value || names.includes(value);
const hasTitle = (item) => { const title = item.title || item.name; return isText(title) && title.trim() !== ""; };
const RENDER_AS = ["markdown", "html", "plaintext"];

const normalName = (name) =>
  name.replace(/^contain(?!s)/, "contains").replace(/^match(?!es)/, "matches");

const makesPrompt = (item) => item.prompt || item.messages || item.should || item.ideal || item.points;

const ofJson = (text) => {
  const data = JSON.parse(text);
  if (Array.isArray(data)) return [{}, data];
  const prompts = data.prompts || []; // throws for null
  const {prompts: _, ...header} = {...data};
  return [header, prompts];
};

const ofYaml = (text) => {
  const documents = require("js-yaml").loadAll(text).filter((document) => document != null);
  demand(documents.length);
  const [first, ...rest] = documents;
  if (rest.length === 0) {
    if (Array.isArray(first)) return [{}, first];
    demand(isObject(first));
    const {prompts, ...header} = first;
    if (Array.isArray(prompts)) return [header, prompts];
    return makesPrompt(first) ? [{}, [first]] : [first, []];
  }
  const isHeader = isObject(first) && !Array.isArray(first) && !makesPrompt(first) && !first.expect;
  return isHeader ? [first, rest.flat()] : [{}, documents.flat()];
};

const checkModel = (model) => {
  if (isText(model)) return;
  demand(isObject(model));
  for (const key of ["id", "url", "modelName", "inherit"]) demand(model[key] && isText(model[key]));
  for (const key of ["format", "promptFormat"]) demand(!model[key] || isText(model[key]));
  for (const key of ["headers", "parameters", "parameterMapping"])
    demand(!model[key] || (isObject(model[key]) && !Array.isArray(model[key])));
};

const checkService = (service) => {
  demand(service.url && URL.canParse(service.url));
  demand(isOneOf(service.method, ["GET", "POST", "PUT"]));
  const limit = service.timeout_ms;
  demand(limit === undefined || (typeof limit === "number" && !(limit <= 0)));
};

const checkTools = ({tools, toolUse}) => {
  demand(tools === undefined || (Array.isArray(tools) && tools.every((tool) => tool && tool.name && isText(tool.name))));
  if (toolUse === undefined) return;
  demand(isObject(toolUse));
  demand(isOneOf(toolUse.mode, ["trace-only"]) && isOneOf(toolUse.outputFormat, ["json-line"]));
  demand(toolUse.maxSteps === undefined || (typeof toolUse.maxSteps === "number" && !(toolUse.maxSteps < 1)));
};

const headerOf = (written) => {
  const header = {...written};
  for (const [name, alias] of [["id", "configId"], ["title", "configTitle"], ["system", "systemPrompt"]]) {
    const value = header[name] || header[alias];
    delete header[alias];
    if (value === undefined) delete header[name]; else header[name] = value;
  }
  if ("author" in written) {
    const {author} = written;
    demand(isText(author) || (isObject(author) && isText(author.name) && author.name.trim()));
  }
  const source = header.reference || header.citation || header.references || header.citations;
  if (source) {
    for (const name of ["reference", "citation", "citations"]) delete header[name];
    header.references = (Array.isArray(source) ? source : [source]).map((item) => {
      if (isText(item)) return {title: item};
      demand(isObject(item) && !Array.isArray(item) && hasTitle(item));
      return {title: item.title || item.name, ...("url" in item ? {url: item.url} : {})};
    });
  }
  demand(isOneOf(header.render_as, RENDER_AS));
  if (header.models) { demand(Array.isArray(header.models)); header.models.forEach(checkModel); }
  checkTools(header);
  if (header.externalServices) Object.values(header.externalServices).forEach(checkService);
  return header;
};

const pointOf = (item, definitions) => {
  const key = Object.keys(item).find((name) => name.startsWith("$"));
  const point = {};
  if (key !== undefined) {
    demand(key.length > 1);
    Object.assign(point, {fn: normalName(key.slice(1)), fnArgs: item[key]});
  } else if (item.text || item.point || item.fn) {
    const text = item.text || item.point;
    demand(!(text && item.fn));
    if (text) point.text = text;
    if (item.fn) { demand(isText(item.fn)); point.fn = normalName(item.fn); }
    const args = item.fnArgs || item.arg;
    if (args !== undefined) point.fnArgs = args;
  } else {
    const [[text, citation], ...others] = Object.entries(item); // throws for {}
    demand(others.length === 0 && isText(citation));
    return {text, citation, multiplier: 1};
  }
  const multiplier = item.weight ?? item.multiplier ?? 1;
  demand(isBetween(multiplier, 0.1, 10));
  if (point.fn === "ref") {
    const name = isObject(point.fnArgs) ? point.fnArgs.name : point.fnArgs;
    demand(isText(name) && name);
    const definition = definitions[name];
    if (isObject(definition)) return {...definition};
    demand(isText(definition));
    Object.assign(point, {fn: "js", fnArgs: definition});
  }
  point.multiplier = multiplier;
  if (item.citation !== undefined) point.citation = item.citation;
  return point;
};

const pathOf = (items, definitions) => {
  demand(!(Array.isArray(items[0]) && items[0].length));
  return items.filter((item) => item !== null && !(Array.isArray(item) && !item.length)).map((item) => {
    if (isText(item)) return {text: item, multiplier: 1};
    demand(isObject(item) && !Array.isArray(item));
    return pointOf(item, definitions);
  });
};

const blockOf = (block, definitions) => (Array.isArray(block) ? block : []).flatMap((item) => {
  if (Array.isArray(item)) { const path = pathOf(item, definitions); return path.length ? [path] : []; }
  if (isText(item)) {
    demand(item !== "$ref");
    return item.length > 1 && item[0] === "$" ? {fn: item.slice(1), multiplier: 1} : {text: item, multiplier: 1};
  }
  demand(isObject(item));
  return pointOf(item, definitions);
});

const messageOf = (message) => {
  if (!isObject(message) || message.role || message.content) return message;
  const roles = Object.keys(message);
  demand(!Array.isArray(message) && roles.length === 1 && ["user", "assistant", "ai", "system"].includes(roles[0]));
  return {role: roles[0] === "ai" ? "assistant" : roles[0], content: message[roles[0]]};
};

const promptOf = (item, header, written, definitions) => {
  const prompt = {};
  const text = item.prompt || item.promptText; // throws for null
  if (item.messages) prompt.messages = item.messages.map(messageOf);
  else if (text) prompt.messages = [{role: "user", content: text}];
  Object.assign(prompt, {id: item.id, description: item.description, idealResponse: item.ideal || item.idealResponse});
  demand(item.system == null || isText(item.system));
  prompt.system = item.system;
  const citation = item.citation || item.reference;
  demand(citation === undefined || isText(citation) || (isObject(citation) && hasTitle(citation)));
  prompt.citation = citation;
  const weight = item.weight ?? item.importance ?? item.multiplier;
  demand(weight === undefined || isBetween(weight, 0.1, 10));
  prompt.weight = weight;
  const noCache = item.noCache === undefined ? written.noCache : item.noCache;
  prompt.noCache = noCache === undefined ? undefined : Boolean(noCache);
  demand(isOneOf(item.render_as, RENDER_AS));
  prompt.render_as = item.render_as || header.render_as || "markdown";
  demand(item.temperature === undefined || typeof item.temperature === "number");
  prompt.temperature = item.temperature;
  for (const key of ["requiredTools", "prohibitedTools"]) {
    demand(item[key] === undefined || Array.isArray(item[key]));
    prompt[key] = item[key];
  }
  demand(item.maxCalls === undefined || (typeof item.maxCalls === "number" && !(item.maxCalls < 0)));
  prompt.maxCalls = item.maxCalls;
  const block = item.should || item.points || item.expect || item.expects || item.expectations;
  if (block) prompt.points = blockOf(block, definitions);
  if (item.should_not) prompt.should_not = blockOf(item.should_not, definitions);
  return prompt;
};

const sorted = (value) => {
  if (Array.isArray(value)) return `[${value.map(sorted)}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${sorted(value[key])}`)}}`;
};

const hashId = ({id, ...rest}) =>
  `hash-${createHash("sha256").update(sorted(JSON.parse(JSON.stringify(rest)))).digest("hex").slice(0, 12)}`;

const answer = ({text, yaml}) => {
  try {
    const [written, items] = yaml ? ofYaml(text) : ofJson(text);
    const {defs, prompts, ...header} = headerOf(written);
    const definitions = header.point_defs || defs || {};
    const read = items.map((item) => promptOf(item, header, written, definitions));
    return JSON.stringify({...header, prompts: read.map((prompt) => ({...prompt, id: prompt.id || hashId(prompt)}))});
  } catch { return null; }
};

const rows = JSON.parse(require("fs").readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(rows.map(answer)));
