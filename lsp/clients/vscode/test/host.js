// A stand-in for the editor: as much of the `vscode` module as the extension and its client library touch.
//
// What is not spelled out here is an empty class or a function that does nothing, so that only what a
// test looks at has to be true. The extension that runs in it is the compiled one, and the server is real.
'use strict';

const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const { fileURLToPath, pathToFileURL } = require('node:url');

class Emitter {
  constructor() {
    this.listeners = new Set();
    this.event = (listener, that) => {
      const bound = that ? listener.bind(that) : listener;
      this.listeners.add(bound);
      return { dispose: () => this.listeners.delete(bound) };
    };
  }
  fire(value) { for (const listener of [...this.listeners]) listener(value); }
  dispose() { this.listeners.clear(); }
}

class Uri {
  constructor(text) { this.text = text; this.scheme = text.split(':')[0]; }
  static parse(text) { return new Uri(text); }
  static file(name) { return new Uri(pathToFileURL(name).href); }
  get fsPath() { return this.scheme === 'file' ? fileURLToPath(this.text) : this.text; }
  get path() { return new URL(this.text).pathname; }
  with() { return this; }
  toString() { return this.text; }
}

class Position { constructor(line, character) { Object.assign(this, { line, character }); } }
class Range {
  constructor(a, b, c, d) {
    this.start = a instanceof Position ? a : new Position(a, b);
    this.end = a instanceof Position ? b : new Position(c, d);
  }
}
class TreeItem {
  constructor(what, collapsibleState = 0) {
    if (what instanceof Uri) this.resourceUri = what; else this.label = what;
    this.collapsibleState = collapsibleState;
  }
}

class Kind {
  constructor(value) { this.value = value; }
  append(part) { return new Kind(this.value ? `${this.value}.${part}` : part); }
}
Kind.Empty = new Kind('');
for (const name of ['QuickFix', 'Refactor', 'Source']) Kind[name] = new Kind(name[0].toLowerCase() + name.slice(1));

class Document {
  constructor(name) {
    this.uri = Uri.file(name); this.fileName = name; this.version = 1; this.languageId = 'python';
    this.text = fs.existsSync(name) ? fs.readFileSync(name, 'utf8') : ''; this.isUntitled = this.isClosed = false;
  }
  getText() { return this.text; }
  get lineCount() { return this.text.split('\n').length; }
}

/** What lies behind a name nobody spelled out. */
function nothing(name) {
  const made = /^[A-Z]/.test(name) ? class { constructor(...given) { this.given = given; } } : () => ({ dispose() {} });
  return made;
}
function open(known, path = '') {
  return new Proxy(known, {
    get(target, name) {
      if (name in target || typeof name !== 'string' || name === 'then') return target[name];
      target[name] = /^on[A-Z]/.test(name) ? new Emitter().event : nothing(name);
      return target[name];
    },
  });
}

class Host {
  constructor(folder, settings) {
    this.folder = folder; this.views = {}; this.commands = new Map(); this.picks = []; this.shown = []; this.errors = [];
    this.focused = []; this.diagnostics = new Map(); this.documents = []; this.active = undefined; this.statusItem = undefined;
    const events = this.events = {};
    for (const name of ['open', 'change', 'save', 'close', 'active']) events[name] = new Emitter();
    const host = this;
    const configuration = { get: (name, fallback) => settings[name] ?? fallback, has: (name) => name in settings, ...settings };
    this.api = open({
      Uri, Position, Range, Selection: Range, EventEmitter: Emitter, TreeItem,
      Disposable: class { constructor(run) { this.run = run; } dispose() { this.run?.(); } },
      CancellationTokenSource: class { constructor() { this.token = { isCancellationRequested: false, onCancellationRequested: new Emitter().event }; } cancel() {} dispose() {} },
      TreeItemCollapsibleState: { None: 0, Collapsed: 1, Expanded: 2 }, StatusBarAlignment: { Left: 1, Right: 2 },
      DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 }, version: '1.82.0',
      FileType: { File: 1, Directory: 2 }, LogLevel: {}, ProgressLocation: {}, UIKind: {}, TextDocumentSaveReason: {},
      CodeActionKind: Kind, SymbolKind: {}, CompletionItemKind: {},
      env: open({ appName: 'stand-in', language: 'en' }), l10n: { t: (text) => text },
      window: open({
        get activeTextEditor() { return host.active && { document: host.active }; },
        get visibleTextEditors() { return host.documents.map((document) => ({ document })); },
        tabGroups: open({ all: [], onDidChangeTabs: new Emitter().event }),
        onDidChangeActiveTextEditor: events.active.event,
        createTreeView(id, options) {
          return host.views[id] = { ...options, visible: true, onDidChangeVisibility: new Emitter().event, dispose() {} };
        },
        createStatusBarItem: () => host.statusItem = { show() {}, dispose() {} },
        createOutputChannel: () => open({ append() {}, appendLine() {}, show() {}, dispose() {} }),
        createQuickPick() {
          const made = { items: [], activeItems: [], value: '', emitters: {} };
          for (const name of ['ChangeValue', 'Accept', 'Hide']) {
            made.emitters[name] = new Emitter();
            made['onDid' + name] = made.emitters[name].event;
          }
          Object.assign(made, { show() {}, dispose() {}, hide() { made.emitters.Hide.fire(); } });
          host.picks.push(made);
          return made;
        },
        showTextDocument: async (uri, options) => { host.shown.push([uri.toString(), options]); },
        showErrorMessage: async (text) => { host.errors.push(text); },
        withProgress: async (_options, work) => work({ report() {} }, { onCancellationRequested: new Emitter().event }),
      }),
      workspace: open({
        workspaceFolders: [{ uri: Uri.file(folder), name: path.basename(folder), index: 0 }],
        get textDocuments() { return host.documents; },
        getWorkspaceFolder: () => ({ uri: Uri.file(folder), name: 'shop', index: 0 }),
        getConfiguration: () => configuration, asRelativePath: (uri) => path.relative(folder, uri.fsPath),
        onDidOpenTextDocument: events.open.event, onDidChangeTextDocument: events.change.event,
        onDidSaveTextDocument: events.save.event, onDidCloseTextDocument: events.close.event,
        createFileSystemWatcher: () => ({
          onDidCreate: new Emitter().event, onDidChange: new Emitter().event, onDidDelete: new Emitter().event, dispose() {},
        }),
        notebookDocuments: [],
      }),
      languages: open({
        match: () => 1,
        createDiagnosticCollection: () => ({
          set: (uri, rows) => host.diagnostics.set(uri.toString(), rows), delete() {}, clear() {}, dispose() {},
        }),
      }),
      commands: open({
        registerCommand(name, run) { host.commands.set(name, run); return { dispose() {} }; },
        executeCommand: async (name, ...given) => {
          if (name.endsWith('.focus')) host.focused.push(name);
          return host.commands.get(name)?.(...given);
        },
      }),
      extensions: open({ getExtension: () => undefined, all: [] }),
    });
  }

  open(name) {
    const document = new Document(path.join(this.folder, name));
    this.documents.push(document);
    this.active = document;
    this.events.open.fire(document);
    this.events.active.fire({ document });
    return document;
  }

  type(document, text) {
    const range = new Range(0, 0, document.lineCount, 0);
    const rangeLength = document.text.length;
    document.text = text;
    document.version += 1;
    this.events.change.fire({ document, contentChanges: [{ range, rangeLength, text }], reason: undefined });
  }

  async rows(view) {
    const { treeDataProvider: provider } = this.views[view];
    const found = await provider.getChildren();
    return Promise.all(found.map(async (row) => ({ row, item: await provider.getTreeItem(row) })));
  }

  /** Loads the compiled extension anew, with this host as its `vscode`. */
  load(file) {
    const load = Module._load;
    Module._load = (request, ...rest) => (request === 'vscode' ? this.api : load(request, ...rest));
    try {
      delete require.cache[require.resolve(file)];
      return require(file);
    } finally {
      Module._load = load;
    }
  }
}

module.exports = { Host };
