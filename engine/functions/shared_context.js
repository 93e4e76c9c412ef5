// Regexes and `JSON.parse`, on texts that are data here, never code: `run.load` sets the texts, `run.tasks` runs tasks.
const run = (() => {
  const {parse, stringify} = JSON;
  let texts = [];
  const failure = (error) => ["e", String(error.name), String(error.message)];
  const compile = (pattern, flags) => {
    try { return [new RegExp(pattern, flags), null]; } catch (error) { return [null, failure(error)]; }
  };
  const matches = (pattern, flags, text, limit) => {
    let [regex, error] = compile(pattern, flags);
    if (error) return error;
    if (!regex.global) regex = new RegExp(pattern, flags + "g");
    const spans = [];
    for (let found; spans.length < 2 * limit && (found = regex.exec(text)) !== null; ) {
      const end = found.index + found[0].length;
      spans.push(found.index, end);
      if (end === found.index) regex.lastIndex = end + 1;
    }
    return ["m", spans];
  };
  const kind = (value) => value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  const json = (text) => {
    try { return ["v", kind(parse(text)), null]; } catch (error) { return failure(error); }
  };
  const one = ([what, ...rest]) => {
    switch (what) {
      case "r": return matches(rest[0], rest[1], texts[rest[2]], rest[3]);
      case "c": return compile(rest[0], rest[1])[1] ?? ["m", []];
      case "j": return json(texts[rest[0]]);
    }
  };
  return {
    load: (all) => { texts = parse(all); return true; },
    tasks: (all) => stringify(parse(all).map(one)),
  };
})();
