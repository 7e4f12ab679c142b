// Puts the scripts of components where TypeScript finds them, as their own compilers read them.
//
//     node tools/eval/truth_components.mjs REPOSITORY NODE_MODULES
//
// Each X.vue, X.svelte and X.astro gets an X.vue.ts (…) beside it, in the index of git too, so that what imports
// ./X.vue is resolved to it. truth_javascript.py then says where imports lead; strip the ".ts" of its answers with
//
//     sed -E 's/\.(vue|svelte|astro)\.ts"/.\1"/g'
//
// and put it back where X.svelte.ts is a file of the repository itself. What frameworks write before they build (the
// settings that astro/tsconfigs and .svelte-kit/tsconfig.json hold) has to be there, and modules resolve as a bundler's.
// What bundlers take off a name ("./x.json?raw") is taken off, and <script src> imports.
//
// NODE_MODULES holds @vue/compiler-sfc, svelte, @astrojs/compiler. REPOSITORY is written to; give it a clone.

import { execFileSync } from "node:child_process"
import fs from "node:fs"
import { createRequire } from "node:module"
import path from "node:path"
import { pathToFileURL } from "node:url"

const [root, modules] = process.argv.slice(2).map((each) => path.resolve(each))
const require = createRequire(path.join(modules, "x.js"))
const load = async (name) => {
  const loaded = await import(pathToFileURL(require.resolve(name)).href)
  return loaded.default ?? loaded
}

const plain = (text) => text.replace(/(\bfrom\s*|\bimport\s*\(?\s*)(["'])([^"'\n?]+)\?[\w&=-]+\2/g, "$1$2$3$2")
const loaded = (src) => (src ? [`import ${JSON.stringify(src)}`] : [])

async function vue(text) {
  const { parse } = require("@vue/compiler-sfc")
  const { script, scriptSetup } = parse(text).descriptor
  return [script, scriptSetup].filter(Boolean).flatMap((each) => [...loaded(each.src), each.content])
}

async function svelte(text) {
  const { parse } = await load("svelte/compiler")
  const tree = parse(text, { modern: true })
  return [tree.module, tree.instance].filter(Boolean).map(({ content }) => text.slice(content.start, content.end))
}

async function astro(text) {
  const { parse } = await load("@astrojs/compiler")
  const { ast } = await parse(text)
  const found = []
  const walk = (node) => {
    if (node.type === "frontmatter") found.push(node.value)
    if (node.name === "script") {
      found.push(...loaded(node.attributes.find(({ name, kind }) => name === "src" && kind === "quoted")?.value))
      found.push(...node.children.map((each) => each.value))
    }
    for (const each of node.children ?? []) walk(each)
  }
  walk(ast)
  return found
}

const readers = { ".vue": vue, ".svelte": svelte, ".astro": astro }
const git = (...words) => execFileSync("git", words, { cwd: root, maxBuffer: 1 << 28 }).toString()
const written = []
let failed = 0
for (const file of git("ls-files", "-z").split("\0")) {
  const reader = readers[path.extname(file)]
  if (!reader || fs.existsSync(path.join(root, file + ".ts"))) continue
  try {
    const scripts = await reader(fs.readFileSync(path.join(root, file), "utf8"))
    fs.writeFileSync(path.join(root, file + ".ts"), plain(scripts.join("\n")))
    written.push(file + ".ts")
  } catch {
    failed += 1
  }
}
for (let start = 0; start < written.length; start += 100) git("add", "-f", "--", ...written.slice(start, start + 100))
console.error(`${written.length} components, ${failed} that their compiler does not read`)
