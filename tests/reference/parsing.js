// What Weval makes of a blueprint, as platform.md describes it: its normalised form, or why its parser refuses it, and
// why its loader refuses to run it ("What refuses a blueprint, and when", A11-A25, A35, A38, A39).
// stdin: [{text, yaml}], `yaml` false for JSON; stdout: [{config: JSON text | null, error, run, hash: text | null}], the
// refusals of the parser, of the loader, and of the content hash that names a run.
const {createHash} = require("crypto");

class Refusal extends Error {}
const demand = (condition, message) => { if (!condition) throw new Refusal(message()); };
const isText = (value) => typeof value === "string";
const isObject = (value) => typeof value === "object" && value !== null;
const isBetween = (value, low, high) => typeof value === "number" && !(value < low || value > high);
const isTitle = (title) => isText(title) && title.trim() !== "";
const isOneOf = (value, names) => !value || names.includes(value);
const RENDER_AS = ["markdown", "html", "plaintext"];
const ROLES = ["user", "assistant", "system"];
const isUrl = (text) => { try { return new URL(text) !== null; } catch { return false; } };
const asJson = (value) => JSON.stringify(value);

const normalName = (name) =>
  name.replace(/^contain(?!s)/, "contains").replace(/^match(?!es)/, "matches");

const makesPrompt = (item) => item.prompt || item.messages || item.should || item.ideal || item.points;

const ofJson = (text) => {
  let data;
  try { data = JSON.parse(text); } catch { throw new Refusal("not JSON"); }
  if (Array.isArray(data)) return [{}, data];
  const prompts = data.prompts || []; // throws for null
  const {prompts: _, ...header} = {...data};
  return [header, prompts];
};

const ofYaml = (text) => {
  let documents;
  try { documents = require("js-yaml").loadAll(text).filter((document) => document != null); } catch (error) {
    throw new Refusal(`Failed to parse YAML blueprint: ${error.reason}`);
  }
  demand(documents.length, () => "Failed to parse YAML blueprint: YAML blueprint is empty or contains only null documents.");
  const [first, ...rest] = documents;
  if (rest.length === 0) {
    if (Array.isArray(first)) return [{}, first];
    demand(isObject(first), () => `Invalid YAML format: Document must be an object or array. Found: ${typeof first}`);
    const {prompts, ...header} = first;
    if (Array.isArray(prompts)) return [header, prompts];
    return makesPrompt(first) ? [{}, [first]] : [first, []];
  }
  const isHeader = isObject(first) && !Array.isArray(first) && !makesPrompt(first) && !first.expect;
  return isHeader ? [first, rest.flat()] : [{}, documents.flat()];
};

const checkModel = (model) => {
  if (isText(model)) return;
  demand(isObject(model) && !Array.isArray(model), () => "Invalid model definition: must be a string or an object.");
  const whose = `Invalid custom model definition for '${model.id}'`;
  for (const key of ["id", "url", "modelName", "inherit"]) demand(model[key] && isText(model[key]), () => key === "id"
    ? `Invalid custom model definition: 'id' is required and must be a string. Found: ${asJson(model)}`
    : `${whose}: '${key}' is required and must be a string.`);
  const {format, headers} = model;
  demand(!format || isText(format), () => `${whose}: 'format', if provided, must be a string.`);
  demand(isOneOf(format, ["chat", "completions"]), () =>
    `${whose}: 'format' must be either 'chat' or 'completions'. Found: '${format}'`);
  demand(!headers || (isObject(headers) && !Array.isArray(headers)), () =>
    `${whose}: 'headers', if provided, must be an object.`);
};

const checkService = ([name, service]) => {
  const who = `External service '${name}'`;
  const url = service.url; // throws for null
  demand(url, () => `${who} must have a 'url' field`);
  demand(isUrl(url), () => `${who} has invalid URL: ${url}`);
  const {method, timeout_ms: limit} = service;
  demand(isOneOf(method, ["GET", "POST", "PUT"]), () => `${who} has invalid method: ${method}. Must be GET, POST, or PUT`);
  demand(limit === undefined || (typeof limit === "number" && !(limit <= 0)), () =>
    `${who} has invalid timeout_ms: ${limit}. Must be a positive number`);
};

const checkTools = ({tools, toolUse}) => {
  if (tools) {
    demand(Array.isArray(tools), () => "The 'tools' field must be an array of tool definitions.");
    tools.forEach((tool, index) => demand(isObject(tool) && tool.name && isText(tool.name), () =>
      `Invalid tool definition at index ${index}: each tool must have a 'name' string.`));
  }
  if (!toolUse) return;
  demand(isObject(toolUse), () => "The 'toolUse' field must be an object.");
  for (const [key, only] of [["mode", "trace-only"], ["outputFormat", "json-line"]])
    demand(!toolUse[key] || toolUse[key] === only, () => `The 'toolUse.${key}' field, if provided, must be '${only}'.`);
  const steps = toolUse.maxSteps;
  demand(steps === undefined || (typeof steps === "number" && !(steps < 1)), () =>
    "The 'toolUse.maxSteps' field, if provided, must be a positive number.");
};

const referenceOf = (item) => {
  if (isText(item)) return {title: item};
  demand(isObject(item) && !Array.isArray(item), () =>
    "Invalid 'reference'/'citation' field: must be a string, an object with 'title'/'name', or an array of these.");
  const title = item.title || item.name;
  demand(isTitle(title), () => "Invalid 'reference'/'citation' object: missing 'title' or 'name' string.");
  return {title, ...("url" in item ? {url: item.url} : {})};
};

const headerOf = ({prompts, ...written}) => {
  const header = {...written};
  if (header.defs) delete header.defs;
  for (const [name, alias] of [["id", "configId"], ["title", "configTitle"], ["system", "systemPrompt"]]) {
    const value = header[name] || header[alias];
    delete header[alias];
    if (value === undefined) delete header[name]; else header[name] = value;
  }
  const {author} = header;
  if (author !== undefined && !isText(author)) {
    demand(isObject(author), () => "Invalid 'author' field: must be a string or an object with 'name'.");
    demand(isTitle(author.name), () => "Invalid 'author' object: missing 'name' string.");
  }
  const source = header.reference || header.citation || header.references || header.citations;
  if (source !== undefined) {
    header.references = (Array.isArray(source) ? source : [source]).map(referenceOf);
    for (const name of ["reference", "citation", "citations"]) delete header[name];
  }
  demand(isOneOf(header.render_as, RENDER_AS), () =>
    "Invalid global 'render_as' value. Must be one of: markdown, html, plaintext.");
  if (header.models) {
    demand(Array.isArray(header.models), () => "The 'models' field must be an array of strings or custom model objects.");
    header.models.forEach(checkModel);
  }
  checkTools(header);
  return header;
};

const pointOf = (item, who) => {
  demand(isObject(item), () =>
    `Invalid point format in prompt '${who}': Point must be a string, array, or object. Found: ${asJson(item)}`);
  const keys = Object.keys(item);
  const key = keys.find((name) => name.startsWith("$"));
  const point = {};
  let weight;
  if (key !== undefined) Object.assign(point, {fn: key.slice(1), fnArgs: item[key]});
  else if (item.text || item.point || item.fn) {
    Object.assign(point, {text: item.text || item.point, fn: item.fn, fnArgs: item.fnArgs || item.arg});
  } else if (keys.length === 1 && isText(item[keys[0]])) Object.assign(point, {text: keys[0], citation: item[keys[0]]});
  if (key !== undefined || item.text || item.point || item.fn) {
    weight = item.weight ?? item.multiplier;
    point.citation = item.citation;
  }
  demand(!(point.fn && point.text), () =>
    `Invalid point in prompt '${who}': Point cannot have both 'text' and 'fn' defined. Found: ${asJson(item)}`);
  demand(point.fn || point.text, () =>
    `Invalid point object in prompt '${who}': Point must define 'text', a function ('fn' or '$...'), or a`
    + ` 'Point: Citation' pair. Found: ${asJson(item)}`);
  if (point.fn) {
    const {fn} = point;
    if (!isText(fn)) fn.startsWith("contain");
    point.fn = normalName(fn);
  }
  weight = weight ?? 1;
  demand(isBetween(weight, 0.1, 10), () =>
    `Point multiplier must be a number between 0.1 and 10. Found ${weight}. Prompt ID: '${who || "unknown"}'`);
  const {text, fn, fnArgs, citation} = point;
  return key === undefined && text && !("text" in item && item.text) && !item.point
    ? {text, citation, multiplier: weight}
    : {text, fn, fnArgs, multiplier: weight, citation};
};

const pathOf = (items, who) => {
  demand(!Array.isArray(items[0]), () =>
    `Nested arrays within nested arrays are not supported in prompt '${who}'. Found: ${asJson(items)}`);
  return items.filter((item) => item !== null && !(Array.isArray(item) && !item.length)).map((item) => {
    demand(!Array.isArray(item), () =>
      `Nested arrays within alternative paths are not supported in prompt '${who}'. Found: ${asJson(item)}`);
    if (isText(item)) return {text: item, multiplier: 1};
    demand(isObject(item), () => `Invalid point format in alternative path in prompt '${who}'. Point must be a string`
      + ` or object. Found: ${asJson(item)}`);
    return pointOf(item, who);
  });
};

const expanded = (point, definitions, who) => {
  if (Array.isArray(point)) return point.map((each) => expanded(each, definitions, who));
  if (point.fn !== "ref") return point;
  const args = point.fnArgs;
  const name = isText(args) ? args : args && isObject(args) ? args.name || args : undefined;
  demand(name && isText(name), () => `Invalid $ref usage in prompt '${who || "unknown"}'. Expected a string name.`);
  const definition = definitions[name];
  demand(definition !== undefined, () => `Undefined definition '${name}' referenced in prompt '${who || "unknown"}'.`);
  if (isText(definition)) return {fn: "js", fnArgs: definition, multiplier: point.multiplier, citation: point.citation};
  demand(isObject(definition), () => `Definition '${name}' is of unsupported type.`);
  return {...definition};
};

const blockOf = (block, definitions, who) => (Array.isArray(block) ? block : []).flatMap((item) => {
  if (Array.isArray(item)) { const path = pathOf(item, who); return path.length ? [path] : []; }
  if (!isText(item)) return [pointOf(item, who)];
  return item.length > 1 && item[0] === "$" ? {fn: item.slice(1), multiplier: 1} : {text: item, multiplier: 1};
}).map((point) => expanded(point, definitions, who));

const messageOf = (message, index, who) => {
  if (!isObject(message) || message.role || message.content) return message;
  const roles = Object.keys(message);
  demand(roles.length === 1, () =>
    "Each message in the shorthand format must have exactly one key (e.g., 'user', 'assistant', 'ai', 'system')."
    + ` Invalid message at index ${index} in prompt '${who}'. Found: ${asJson(message)}`);
  const [role] = roles;
  demand([...ROLES, "ai"].includes(role), () => `Invalid role '${role}' in message at index ${index} in prompt '${who}'.`);
  return {role: role === "ai" ? "assistant" : role, content: message[role]};
};

const promptOf = (item, header, definitions) => {
  const prompt = {};
  const text = item.prompt || item.promptText; // throws for null
  const who = item.id, known = () => item.id || "unknown";
  if (item.messages) {
    const p = item;
    prompt.messages = p.messages.map((message, index) => messageOf(message, index, who));
  } else if (text) prompt.messages = [{role: "user", content: text}];
  Object.assign(prompt, {id: item.id, description: item.description, idealResponse: item.ideal || item.idealResponse});
  const {system} = item;
  demand(!Array.isArray(system), () => `Invalid 'system' field in prompt '${known()}': Per-prompt 'system' must be a string`
    + " or null, not an array. Did you mean to use 'systems' (plural) at the global config level instead?");
  demand(system == null || isText(system), () =>
    `Invalid 'system' field in prompt '${known()}': Must be a string or null. Found: ${typeof system}`);
  prompt.system = system;
  const citation = item.citation || item.reference;
  if (citation !== undefined && !isText(citation)) {
    demand(isObject(citation), () =>
      `Invalid 'citation'/'reference' field in prompt '${who}': must be a string or an object with 'title'/'name'.`);
    demand(isTitle(citation.title || citation.name), () =>
      `Invalid 'citation'/'reference' object in prompt '${who}': missing 'title' or 'name' string.`);
  }
  prompt.citation = citation;
  const weight = item.weight ?? item.importance ?? item.multiplier;
  demand(weight === undefined || isBetween(weight, 0.1, 10), () =>
    `Prompt weight must be a number between 0.1 and 10. Found ${weight}. Prompt ID: '${known()}'`);
  prompt.weight = weight;
  const noCache = item.noCache === undefined ? header.noCache : item.noCache;
  prompt.noCache = noCache === undefined ? undefined : Boolean(noCache);
  demand(isOneOf(item.render_as, RENDER_AS), () =>
    `Invalid 'render_as' value on prompt '${known()}'. Must be one of: markdown, html, plaintext.`);
  prompt.render_as = item.render_as || header.render_as || "markdown";
  demand(item.temperature === undefined || typeof item.temperature === "number", () =>
    `Prompt temperature must be a number. Found ${typeof item.temperature}. Prompt ID: '${known()}'`);
  prompt.temperature = item.temperature;
  for (const key of ["requiredTools", "prohibitedTools"]) {
    demand(item[key] === undefined || Array.isArray(item[key]), () =>
      `Prompt '${key}' must be an array. Prompt ID: '${known()}'`);
    prompt[key] = item[key];
  }
  const calls = item.maxCalls;
  demand(calls === undefined || (typeof calls === "number" && !(calls < 0)), () =>
    `Prompt 'maxCalls' must be a non-negative number. Found ${calls}. Prompt ID: '${known()}'`);
  prompt.maxCalls = calls;
  const block = item.should || item.points || item.expect || item.expects || item.expectations;
  if (block) prompt.points = blockOf(block, definitions, who);
  if (item.should_not) prompt.should_not = blockOf(item.should_not, definitions, who);
  return {...prompt, id: prompt.id || hashId(prompt)};
};

const sorted = (value) => {
  if (Array.isArray(value)) return `[${value.map(sorted)}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${sorted(value[key])}`)}}`;
};

const hashId = ({id, ...rest}) =>
  `hash-${createHash("sha256").update(sorted(JSON.parse(JSON.stringify(rest)))).digest("hex").slice(0, 12)}`;

const normalised = (written, rawPrompts) => {
  const header = headerOf(written), definitions = {...(written.point_defs || written.defs)};
  const config = {...header, prompts: (rawPrompts || []).map((item) => promptOf(item, header, definitions))};
  if (header.externalServices) Object.entries(header.externalServices).forEach(checkService);
  return config;
};

// When it is run: the loader, and the hash of what it runs.

const checkMessages = ({id, messages}) => {
  const who = `Prompt ID '${id}'`;
  demand(Array.isArray(messages) && messages.length, () =>
    `${who} must have either a valid 'promptText' or a non-empty 'messages' array.`);
  demand(messages[0].role !== "assistant", () =>
    `${who}: First message role cannot be 'assistant'. Must be 'user' or 'system'.`);
  const last = messages[messages.length - 1].role;
  demand(last === "user", () => `${who}: Last message role in the input sequence must be 'user'. Found '${last}'.`);
  messages.forEach((message, index) => {
    const role = message.role, content = message.content;
    const where = `${who}, message ${index}`;
    demand(role && ROLES.includes(role), () =>
      `${where}: Invalid role '${role}'. Must be 'user', 'assistant', or 'system'.`);
    if (role === "assistant" && content === null) return;
    demand(isTitle(content), () => `${where} (role '${role}'): Content cannot be empty.`);
  });
  let before = null;
  messages.forEach(({role}, index) => {
    demand(role === "system" || role !== before, () =>
      `${who}, message ${index}: Invalid sequence. Two '${role}' messages in a row.`);
    if (role !== "system") before = role;
  });
};

const checkRun = (config) => {
  demand(!config.title || isTitle(config.title), () =>
    "Failed to determine a valid 'title' for the blueprint from file content or 'id'.");
  config.prompts.forEach(checkMessages);
  const {description, temperature, temperatures, tags} = config;
  if (description) {
    const configJson = config;
    configJson.description.substring(0, 100);
  }
  demand(temperature === undefined || typeof temperature === "number", () => "Config file has invalid 'temperature'");
  demand(temperatures === undefined || (Array.isArray(temperatures) && temperatures.every((t) => typeof t === "number")),
    () => "Config file has invalid 'temperatures'");
  demand(tags === undefined || (Array.isArray(tags) && tags.every(isText)), () =>
    "Config file has an invalid 'tags' field (must be an array of strings if provided).");
  let {systems} = config;
  if (Array.isArray(config.system) && !(systems && systems.length > 0)) systems = config.system;
  demand(systems === undefined || (Array.isArray(systems) && systems.every((s) => s === null || isText(s))), () =>
    "Config file has invalid 'systems' (must be an array of strings or nulls).");
  if (systems) {
    demand(systems.filter((s) => s === null).length <= 1, () =>
      "Config file validation error: The 'systems' array can contain at most one 'null' entry.");
    const own = systems.length > 0 && config.prompts.find((prompt) => prompt.system);
    demand(!own, () => "Config validation error: When a top-level 'systems' array is defined for permutation, individual"
      + ` prompts (like '${own.id}') cannot have their own 'system' override. This is to ensure a clean comparison across`
      + " all system prompts.");
  }
};

const sortPrompts = ({prompts}) => [...prompts].sort((a, b) => (a.id || "").localeCompare(b.id || ""));

const refusalOf = (task) => {
  try { task(); } catch (error) {
    if (!(error instanceof Refusal || error instanceof TypeError)) throw error;
    return error.message;
  }
  return null;
};

const answer = ({text, yaml}) => {
  let config = null;
  const error = refusalOf(() => { config = normalised(...(yaml ? ofYaml(text) : ofJson(text))); });
  const run = error === null ? refusalOf(() => checkRun(config)) : null;
  const hash = error === null ? refusalOf(() => sortPrompts(config)) : null;
  return {config: config && JSON.stringify(config), error, run, hash};
};

const rows = JSON.parse(require("fs").readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(rows.map(answer)));
