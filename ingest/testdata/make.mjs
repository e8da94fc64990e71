// Makes trace.zip, walk.har and login.aria.yaml by Playwright on the pages of site/.
// usage: npm install playwright-core && node make.mjs [path of Chromium]
import { chromium } from 'playwright-core'
import { createServer } from 'http'
import { readFile, writeFile } from 'fs/promises'

const server = createServer(async (q, a) => {
  const p = new URL(q.url, 'http://x').pathname
  if (p.startsWith('/api/')) { a.setHeader('content-type', 'application/json'); return a.end('{"ok":true}') }
  const file = p === '/' ? '/index.html' : /^\/orders\/\d+$/.test(p) ? '/orders.html' : p
  try {
    a.setHeader('content-type', 'text/html')
    a.end(await readFile('site' + file))
  } catch { a.statusCode = 404; a.end() }
}).listen(0)
const base = 'http://127.0.0.1:' + server.address().port
const browser = await chromium.launch({ executablePath: process.argv[2], args: ['--no-sandbox'] })
const context = await browser.newContext({ recordHar: { path: 'walk.har', content: 'omit' } })
await context.tracing.start({ snapshots: true, title: 'sign in and look at an order' })
const page = await context.newPage()
await page.goto(base + '/')
await page.getByRole('link', { name: 'Log in' }).click()
await page.getByLabel('Email').fill('ann@example.com')
await page.locator('input[type=password]').fill('a secret')
await writeFile('login.aria.yaml', await page.locator('body').ariaSnapshot())
await page.getByRole('button', { name: 'Log on' }).click({ timeout: 300 }).catch(() => {})
await page.getByRole('button', { name: 'Sign in' }).click()
await page.waitForURL(/orders/)
await page.getByRole('button', { name: 'Reload' }).click()
await page.waitForTimeout(200)
await page.getByRole('link', { name: 'Order 17' }).click()
await page.waitForURL(/orders.17/)
await context.tracing.stop({ path: 'trace.zip' })
await context.close()
await browser.close()
server.close()
