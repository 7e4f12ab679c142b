// The status bar: whether the index is at HEAD, and what is laid over it.

import * as vscode from 'vscode';
import { Root } from './protocol';

export class Status {
  readonly item = vscode.window.createStatusBarItem('oracl.status', vscode.StatusBarAlignment.Left, 0);

  constructor(subscriptions: { dispose(): unknown }[]) {
    this.item.name = 'Oracl';
    this.item.command = 'oracl.find';
    this.item.text = '$(loading~spin) oracl';
    this.item.show();
    subscriptions.push(this.item);
  }

  show(roots: Root[]): void {
    const busy = roots.find((root) => root.state === 'indexing');
    const bad = roots.find((root) => root.state === 'failed' || root.message);
    if (busy) this.item.text = `$(sync~spin) oracl ${busy.percent ?? 0} %`;
    else if (bad) this.item.text = '$(warning) oracl';
    else if (roots.length) this.item.text = '$(check) oracl';
    else this.item.text = 'oracl';
    this.item.tooltip = roots.map((root) => {
      if (root.state !== 'ready') return `${root.name}: ${root.state}. ${root.message}`;
      const laid = root.changed ? `, ${root.changed} files not committed` : '';
      return `${root.name}: at ${root.commit?.slice(0, 7)}${laid}; ${root.artifacts} files. ${root.message}`.trim();
    }).join('\n') || 'No folder lies in a git repository.';
  }

  lost(message: string): void {
    this.item.text = '$(error) oracl';
    this.item.tooltip = message;
  }
}
