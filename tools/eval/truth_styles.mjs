// Where style sheets lead, as dart-sass, less and postcss-import find them: the truth for tools/eval/imports.py.
//
//     node tools/eval/truth_styles.mjs scss|less|css REPOSITORY [LOAD-PATH …] > TRUTH.jsonl
//
// Run where `sass`, `less`, `postcss`, `postcss-scss`, `postcss-less` and `postcss-import` (npm) are installed. Statements
// are those that postcss reads. One of Sass or Less is compiled alone, in the place of its sheet, in a copy of the tree
// whose sheets are empty, so that what is then loaded is what that statement names. Load paths are
// those that the project's own build gives, relative to it; below `node_modules` there lie the packages of the tree by
// their names, as package managers link them.

import { execFileSync } from "node:child_process";
import {
  existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const require = createRequire(join(process.cwd(), "package.json"));
const [language, place, ...loadPaths] = process.argv.slice(2);
const repository = realpathSync(place);
const listed = execFileSync("git", ["-C", repository, "ls-files", "-z"], { maxBuffer: 1 << 26 });
const files = listed.toString().split("\0").filter(Boolean);
const sheets = files.filter((path) => /\.(scss|sass|less|css|pcss)$/.test(path));
const copy = realpathSync(mkdtempSync(join(tmpdir(), "styles-")));
for (const path of sheets) {
  mkdirSync(dirname(join(copy, path)), { recursive: true });
  writeFileSync(join(copy, path), "");
}
for (const path of files.filter((each) => each.endsWith("/package.json"))) {
  const { name } = JSON.parse(readFileSync(join(repository, path), "utf8"));
  const link = name && join(copy, "node_modules", name);
  if (!link || existsSync(link) || !existsSync(join(copy, dirname(path)))) continue;
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(join(copy, dirname(path)), link);
}
const paths = loadPaths.map((path) => join(copy, path));

/** The names that one statement loads: all but what is handed on to the browser. */
function named(rule) {
  const params = rule.params.replace(/^\([^)]*\)/, "");
  const strings = [...params.matchAll(/"([^"]*)"|'([^']*)'/g)].map((match) => match[1] ?? match[2]);
  const bare = strings.length ? [] : [...params.matchAll(/url\(\s*([^'")\s]+)\s*\)/g)].map((match) => match[1]);
  const local = [...strings, ...bare].filter((each) => !/^(https?:)?\/\//.test(each));
  if (language !== "scss") return local.slice(0, 1);
  if (rule.name !== "import") return strings.slice(0, 1);
  return local.filter((each) => !/\.css$/.test(each) && !/url\(/.test(params));
}

const TOOLS = {
  scss: {
    syntax: "postcss-scss",
    rules: /^(use|forward|import)$/,
    find(source, rule, name) {
      const sass = require("sass");
      const text = `@${rule.name} ${JSON.stringify(name)}${rule.name === "use" ? " as *" : ""};`;
      const url = pathToFileURL(join(copy, dirname(source), "of-its-own.scss"));
      const { loadedUrls } = sass.compileString(text, { url, loadPaths: paths, logger: sass.Logger.silent });
      return loadedUrls.map(fileURLToPath);
    },
  },
  less: {
    syntax: "postcss-less",
    rules: /^import$/,
    async find(source, rule, name) {
      const text = `@import (reference, less) ${JSON.stringify(name)};`;
      const filename = join(copy, dirname(source), "of-its-own.less");
      return (await require("less").render(text, { filename, paths })).imports;
    },
  },
  css: {
    syntax: "postcss",
    rules: /^import$/,
    async find(source, rule, name) {
      const options = { root: repository, path: loadPaths.map((path) => join(repository, path)), extensions: [".css"] };
      const found = await require("postcss-import/lib/resolve-id.js")(name, join(repository, dirname(source)), options);
      return [found].flat().map((path) => join(copy, relative(repository, path)));
    },
  },
};

const tool = TOOLS[language];
const syntax = require(tool.syntax);
const suffix = language === "css" ? /\.p?css$/ : new RegExp(`\\.${language}$`);
for (const source of sheets.filter((path) => suffix.test(path))) {
  const rules = [];
  try {
    syntax.parse(readFileSync(join(repository, source), "utf8")).walkAtRules(tool.rules, (rule) => rules.push(rule));
  } catch {
    console.error(`not read: ${source}`);
  }
  for (const rule of rules) {
    for (const name of named(rule)) {
      try {
        const loaded = await tool.find(source, rule, name);
        const real = loaded.filter(existsSync).map((path) => relative(copy, realpathSync(path)));
        const targets = real.filter((path) => sheets.includes(path));
        if (targets.length) console.log(JSON.stringify({ source, line: rule.source.start.line, targets }));
      } catch {
        console.error(`not found: ${source}: ${name}`);
      }
    }
  }
}
rmSync(copy, { recursive: true });
