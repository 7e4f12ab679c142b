// Opens a repository in VS Code, in a browser without a window, and writes down what a person sees there:
//     node drive.mjs ADDRESS REPOSITORY [PICTURE]
// ADDRESS is that of a running server of VS Code; the extension is installed in it.

import { chromium } from 'playwright-core';

const [address, repository, picture] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: { width: 1180, height: 640 } });
page.setDefaultTimeout(60_000);

const rows = (list) => page.locator(list)
  .evaluateAll((found) => found.map((row) => (row.getAttribute('aria-label') ?? row.textContent).split('\n')[0]));
const RELATED = '.pane:has(.pane-header[aria-label^="Related Artifacts"])';
const TYPED = '.quick-input-box input';
const PICKED = '.quick-input-list .monaco-list-row';

async function until(what, look) {
  const end = Date.now() + 60_000;
  while (Date.now() < end) {
    const found = await look();
    if (found) return found;
    await page.waitForTimeout(50);
  }
  throw new Error(`${what} is not seen; the page says: ${(await page.locator('body').innerText()).slice(0, 2000)}`);
}

/** What the view shows of a file, once it speaks of this one, which is not related to itself. */
const related = (path) => until(`what goes with ${path}`, async () => {
  const head = await page.locator(`${RELATED} .pane-header`).innerText().catch(() => '');
  const found = await rows(`${RELATED} .monaco-list-row`);
  return head.includes(path) && found.length && !found.some((row) => row.startsWith(path)) ? found : undefined;
});

/** Types more words, and reads what is offered then, without Enter, once a path is among it. */
async function type(words, path) {
  await page.keyboard.type(words, { delay: 20 });
  await until(`${path} for ${words}`, async () => (await rows(PICKED)).some((row) => row.startsWith(path)));
  await page.waitForTimeout(500); // the last letters have been asked about
  return rows(PICKED);
}

try {
  const file = `vscode-remote://remote${repository}/shop/cart.py`;
  const asked = { folder: repository, payload: JSON.stringify([['openFile', file]]) };
  await page.goto(`${address}/?${new URLSearchParams(asked)}`);
  await page.getByRole('tab', { name: 'Oracl' }).click();
  const out = { cart: await related('shop/cart.py'), search: [] };
  await page.locator(`${RELATED} .monaco-list-row`, { hasText: 'prices.py' }).first().click();
  out.prices = await related('shop/prices.py'); // it follows the editor
  await page.keyboard.press('Control+Alt+O');
  await until('the picker', async () => (await page.locator(TYPED).getAttribute('placeholder'))?.startsWith('Where is this?'));
  out.search.push(await type('customer', 'shop/cart.py'));
  out.search.push(await type(' discount threshold', 'shop/prices.py'));
  out.status = await page.locator('.statusbar-item[id^="oracl-git"]').innerText();
  if (picture) await page.screenshot({ path: picture });
  const chosen = out.search[1][0].split(':')[0].split('/').pop();
  await page.keyboard.press('Enter');
  await until(chosen, async () => (await page.locator('.tab.active').getAttribute('data-resource-name')) === chosen);
  console.log(JSON.stringify(out));
} finally {
  await browser.close();
}
