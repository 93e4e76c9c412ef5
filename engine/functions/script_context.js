// Evaluates one script: `evaluate(source, names, values)` binds each name to its value (JSON) and returns the outcome.

// Node 20's sandbox has none of these: some are the host's, the rest a newer V8's. Two of them cannot be deleted, so all
// are set to undefined first.
for (const [owner, names] of [
  [globalThis, "__timer_manager setTimeout clearTimeout Temporal Float16Array"],
  [Iterator.prototype, "drop every filter find flatMap forEach map reduce some take toArray"],
  [globalThis, "Iterator SuppressedError DisposableStack AsyncDisposableStack"],
  [Array, "fromAsync"], [Object, "groupBy"], [Map, "groupBy"], [Promise, "try withResolvers"],
  [Set.prototype, "difference intersection isDisjointFrom isSubsetOf isSupersetOf symmetricDifference union"],
  [RegExp, "escape"], [Error, "isError"],
  [ArrayBuffer.prototype, "detached transfer transferToFixedLength"], [DataView.prototype, "getFloat16 setFloat16"],
  [Uint8Array, "fromBase64 fromHex"], [Uint8Array.prototype, "setFromBase64 setFromHex toBase64 toHex"],
  [JSON, "rawJSON isRawJSON"], [Math, "f16round"], [Atomics, "pause"], [Intl, "DurationFormat"],
  [Date.prototype, "toTemporalInstant"],
]) for (const name of names.split(" ")) {
  owner[name] = undefined;
  delete owner[name];
}
const evaluate = (() => {
  "use strict";  // so that no script gets hold of these functions as the caller of its own
  const {parse, stringify} = JSON;
  const {isArray} = Array;
  const {keys, create, getOwnPropertyDescriptors, setPrototypeOf, defineProperty} = Object;
  const substring = Function.prototype.call.bind(String.prototype.substring);
  const includes = Function.prototype.call.bind(String.prototype.includes);
  const text = String, finite = Number.isFinite, everything = eval, scope = globalThis;
  // On the platform these values come from another realm, so `instanceof` is false for them.
  const foreignObject = create(null, getOwnPropertyDescriptors(Object.prototype));
  const foreignArray = create(foreignObject, getOwnPropertyDescriptors(Array.prototype));
  const foreign = (value) => {
    if (value === null || typeof value !== "object") return value;
    for (const key of keys(value)) foreign(value[key]);
    return setPrototypeOf(value, isArray(value) ? foreignArray : foreignObject);
  };
  const kind = (value) =>
    value === null ? "null" : isArray(value) ? "array" : value !== value ? "nan" : typeof value;
  // The platform copies an object (or a list) with a score, and awaits the copy if it is a promise.
  const scored = (value) => {
    if (value === null || typeof value !== "object" || !("score" in value)) return value;
    const own = {...value};
    let settled = own;
    if (typeof own.then === "function") own.then((result) => { settled = result; }, (error) => { throw error; });
    return settled;
  };
  const tooLarge = () => new RangeError("the result is too large");
  const quoted = (string, room) => {
    if ((room.left -= string.length / 100) < 0) throw tooLarge();
    return stringify(string);
  };
  const plain = (value, depth, room) => {
    if (--room.left < 0) throw tooLarge();
    switch (typeof value) {
      case "string": return quoted(value, room);
      case "number": return value !== value ? "NaN" : finite(value) ? stringify(value) : text(value);
      case "boolean": return text(value);
      case "object": break;
      default: return "null";
    }
    if (value === null || depth > 6) return "null";
    let written = "";
    if (isArray(value)) {
      for (let at = 0; at < value.length; at++) written += (at ? "," : "") + plain(value[at], depth + 1, room);
      return "[" + written + "]";
    }
    const names = keys(value);
    for (let at = 0; at < names.length; at++)
      written += (at ? "," : "") + quoted(names[at], room) + ":" + plain(value[names[at]], depth + 1, room);
    return "{" + written + "}";
  };
  const shortened = (string) => string.length > 2000 ? substring(string, 0, 2000) + "…" : string;
  const thrown = (error) => {
    let name = "", message = "";
    try {
      const isError = error !== null && typeof error === "object" && "message" in error;
      name = isError ? shortened(text(error.name ?? "Error")) : "";
      message = shortened(isError ? text(error.message) : text(error));
    } catch { message = "something that cannot be read"; }
    return [name, message];
  };
  return (source, names, values) => {
    for (let at = 0; at < names.length; at++)
      defineProperty(scope, names[at], {
        value: foreign(parse(values[at])), writable: true, enumerable: true, configurable: true,
      });
    try {
      let value;
      try {
        value = everything(source);
      } catch (error) {
        if (!includes(thrown(error)[1], "Illegal return statement")) throw error;
        value = everything("(() => {\n" + source + "\n})()");
      }
      value = scored(value);
      return '["v",' + stringify(kind(value)) + "," + plain(value, 0, {left: 10000}) + "]";
    } catch (error) {
      const failure = thrown(error);  // read by index: the script may have replaced the iterator of arrays
      return '["e",' + stringify(failure[0]) + "," + stringify(failure[1]) + "]";
    }
  };
})();
