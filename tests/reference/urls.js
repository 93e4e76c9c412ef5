// Which texts `new URL` takes. `URL.canParse` is not asked: once it is compiled, Node 20 answers it wrongly for `é`.
// stdin: [{url}]; stdout: [boolean].
const isUrl = ({url}) => { try { return Boolean(new URL(url)); } catch { return false; } };
const rows = JSON.parse(require("fs").readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(rows.map(isUrl)));
