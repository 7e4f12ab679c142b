// The view of a trace: what depends on a file, or what it depends on, level by level.

import * as vscode from 'vscode';
import { Ask, Step } from './protocol';
import { openCommand } from './related';

type Direction = 'in' | 'out';

export class Trace implements vscode.TreeDataProvider<Step> {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  readonly view: vscode.TreeView<Step>;
  private root: Step | undefined;
  private direction: Direction = 'in';

  constructor(private readonly ask: Ask, subscriptions: { dispose(): unknown }[]) {
    this.view = vscode.window.createTreeView('oracl.traceView', { treeDataProvider: this });
    subscriptions.push(this.view, this.changed);
  }

  async show(uri: vscode.Uri | undefined, direction: Direction): Promise<void> {
    if (!uri) return;
    this.direction = direction;
    let said: string | undefined;
    const answer = await this.ask<{ tree: Step }>(
      'oracl/trace', { uri: uri.toString(), direction, depth: 1 }, (message) => { said = message; });
    this.root = answer?.tree;
    const what = direction === 'in' ? 'depends on' : 'is used by';
    this.view.description = `${what} ${vscode.workspace.asRelativePath(uri)}`;
    this.view.message = said ?? (this.root?.children.length ? undefined : `Nothing ${what} it.`);
    this.changed.fire();
    await vscode.commands.executeCommand('oracl.traceView.focus');
  }

  async getChildren(element?: Step): Promise<Step[]> {
    if (!element) return this.root?.children ?? [];
    const answer = await this.ask<{ tree: Step }>(
      'oracl/trace', { uri: element.uri, direction: this.direction, depth: 1 });
    return answer?.tree.children ?? [];
  }

  getTreeItem(step: Step): vscode.TreeItem {
    const more = step.cycle ? vscode.TreeItemCollapsibleState.None : vscode.TreeItemCollapsibleState.Collapsed;
    const item = new vscode.TreeItem(vscode.Uri.parse(step.uri), more);
    item.label = step.path + (step.range ? ':' + (step.range.start.line + 1) : '');
    item.description = `${step.relation} ${step.symbol}`.trim() + (step.cycle ? ' (shown above)' : '');
    item.command = openCommand(step.uri, step.range);
    return item;
  }
}
