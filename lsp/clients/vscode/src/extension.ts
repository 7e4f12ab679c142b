// Starts the server and puts its answers where a person of VS Code looks for them.

import * as vscode from 'vscode';
import { LanguageClient, ResponseError, State } from 'vscode-languageclient/node';
import { find } from './find';
import { Ask, Root } from './protocol';
import { Related } from './related';
import { Status } from './status';
import { Trace } from './trace';

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<object> {
  const settings = vscode.workspace.getConfiguration('oracl');
  const [command, ...args] = settings.get<string[]>('command', ['git-oracl', 'lsp']);
  const status = new Status(context.subscriptions);
  client = new LanguageClient('oracl', 'Oracl', { command, args }, {
    documentSelector: [{ scheme: 'file' }],
    initializationOptions: { ...settings, statusNotifications: true, lensCommand: 'oracl.revealRelated', references: 'off' },
    synchronize: { configurationSection: 'oracl' },
  });

  const ask: Ask = async <T>(method: string, params: object, told?: (message: string) => void) => {
    try {
      return await client!.sendRequest<T>(method, params);
    } catch (error) {
      told?.(error instanceof ResponseError ? error.message : 'The server is not running.');
      return undefined;
    }
  };
  const related = new Related(ask, context.subscriptions);
  const trace = new Trace(ask, context.subscriptions);

  async function refresh(): Promise<void> {
    const answer = await ask<{ roots: Root[] }>('oracl/status', {}, (message) => status.lost(message));
    if (answer) status.show(answer.roots);
    related.soon(0);
  }

  const active = () => vscode.window.activeTextEditor?.document.uri;
  const target = (given: unknown) => {
    if (given instanceof vscode.Uri) return given;
    const uri = (given as { uri?: string } | undefined)?.uri;
    return uri ? vscode.Uri.parse(uri) : active();
  };
  const register = (name: string, run: (given?: unknown) => unknown) =>
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
  register('oracl.find', () => find(ask));
  register('oracl.revealRelated', async (given) => {
    related.follow(target(given));
    await vscode.commands.executeCommand('oracl.relatedView.focus');
    await related.refresh();
  });
  register('oracl.traceIn', (given) => trace.show(target(given), 'in'));
  register('oracl.traceOut', (given) => trace.show(target(given), 'out'));
  register('oracl.refresh', refresh);
  register('oracl.restart', async () => {
    await client!.restart();
    await refresh();
  });
  client.onNotification('oracl/didChangeStatus', (params: { roots: Root[] }) => {
    status.show(params.roots);
    related.soon(0);
  });
  client.onDidChangeState((change) => {
    if (change.newState === State.Stopped) status.lost('The server has stopped. Oracl: Restart Server starts it again.');
  });
  context.subscriptions.push(vscode.workspace.onDidSaveTextDocument(() => void refresh()));

  try {
    await client.start();
  } catch (error) {
    status.lost(`${command} could not be started: ${String(error)}`);
    void vscode.window.showErrorMessage(
      `Oracl: ${command} could not be started. Install it (pip install 'oracl-git[lsp]'), or set oracl.command.`);
    return { related, trace, status };
  }
  related.follow(active());
  await refresh();
  return { related, trace, status, client };
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
