// Which files of GraphQL use what others define, as graphql-js parses them: the truth for tools/eval/imports.py.
//
//     node tools/eval/truth_graphql.mjs [--imported] REPOSITORY > TRUTH.jsonl
//
// Run where `graphql` and `@graphql-tools/import` (npm) are installed. With --imported, the files that lines of
// `#import` name, as that reads them. Else: a name is used where a type, a fragment or a directive stands; it leads to
// the file that defines it, extensions apart. Of several the one that shares most directories is meant; when that
// leaves several, nothing says which, and the name is left out. So are names that the file itself defines.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(join(process.cwd(), "package.json"));
const { Kind, parse, visit } = require("graphql");
const imported = process.argv[2] === "--imported";
const repository = process.argv.at(-1);
const listed = execFileSync("git", ["-C", repository, "ls-files", "-z"], { maxBuffer: 1 << 26 });
const paths = listed.toString().split("\0").filter((path) => /\.(graphql|gql|graphqls)$/.test(path));
if (imported) {
  const { extractImportLines, parseImportLine } = require("@graphql-tools/import");
  for (const source of paths) {
    for (const line of extractImportLines(readFileSync(join(repository, source), "utf8")).importLines) {
      const target = join(dirname(source), parseImportLine(line.replace(/^#\s*/, "").trim()).from);
      if (paths.includes(target)) console.log(JSON.stringify({ source, targets: [target] }));
    }
  }
  process.exit();
}
const defining = new Map(); // name → the files that define it
const using = new Map(); // file → name → its line

const DEFINITIONS = /^(?:(?:Scalar|Object|Interface|Union|Enum|InputObject)TypeDefinition|DirectiveDefinition|FragmentDefinition)$/;
const space = (kind) => (kind === "DirectiveDefinition" || kind === Kind.DIRECTIVE ? "@" : /^Fragment/.test(kind) ? "..." : "");

for (const path of paths) {
  let document;
  try {
    document = parse(readFileSync(join(repository, path), "utf8"), { allowLegacyFragmentVariables: true });
  } catch (error) {
    console.error(`not read: ${path}: ${error.message}`);
    continue;
  }
  const names = new Map();
  using.set(path, names);
  visit(document, {
    enter(node) {
      if (DEFINITIONS.test(node.kind)) {
        const name = space(node.kind) + node.name.value;
        defining.set(name, (defining.get(name) ?? new Set()).add(path));
      } else if ([Kind.NAMED_TYPE, Kind.FRAGMENT_SPREAD, Kind.DIRECTIVE].includes(node.kind)) {
        const name = space(node.kind) + node.name.value;
        if (!names.has(name)) names.set(name, node.loc.startToken.line);
      } else if (/TypeExtension$/.test(node.kind) && !names.has(node.name.value)) {
        names.set(node.name.value, node.name.loc.startToken.line);
      }
    },
  });
}

/** How many directories two files share from the top. */
function shared(one, other) {
  const [a, b] = [one, other].map((path) => path.split("/").slice(0, -1));
  const apart = a.findIndex((each, index) => each !== b[index]);
  return apart < 0 ? a.length : apart;
}

for (const [source, names] of using) {
  for (const [name, line] of names) {
    const found = [...(defining.get(name) ?? [])];
    if (!found.length || found.includes(source)) continue;
    const most = Math.max(...found.map((path) => shared(source, path)));
    const nearest = found.filter((path) => shared(source, path) === most);
    if (nearest.length === 1) console.log(JSON.stringify({ source, line, name, targets: nearest }));
  }
}
