import type { ApiCall } from './api-document.ts'

export const languages = ['curl', 'TypeScript', 'Python'] as const
export type Language = (typeof languages)[number]

/** The URL of a call with its example parameters. */
export function createExampleUrl(origin: string, { path, example }: ApiCall): string {
  const filledPath = path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(String(example.params?.[name] ?? name)),
  )
  const query = new URLSearchParams(
    Object.entries(example.query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
  )
  return `${origin}${filledPath}${query.size > 0 ? `?${query}` : ''}`
}

/** Public calls that use a session cookie, or the cookie of a challenge. */
const pathsWithCookie = [
  '/api/auth/user',
  '/api/auth/logout',
  '/api/auth/wallet',
  '/api/auth/factor',
  '/api/auth/passkey/options',
  '/api/auth/passkey',
]
const pathsSettingCookie = [
  '/api/auth/login',
  '/api/auth/first-admin',
  '/api/auth/wallet/challenge',
  '/api/auth/wallet',
  '/api/auth/confirm',
  '/api/auth/confirm-wallet',
  '/api/auth/factor',
  '/api/auth/passkey/options',
  '/api/auth/passkey',
  '/api/auth/confirm-factor',
  '/api/auth/confirm-passkey',
  '/api/account/factors/totp/confirm',
  '/api/account/passkeys',
  '/api/account/password',
  '/api/wallets/prove',
]

interface Request {
  url: string
  origin: string
  method: string
  /** Null for GET requests. */
  body: string | null
  sendsCookie: boolean
  setsCookie: boolean
}

/**
 * A runnable code snippet for a call. Writes set the Origin header, because the server accepts them
 * only from its own origin. curl keeps cookies in a file. The other snippets print the cookies that
 * a response sets, and read the cookies to send from an environment variable.
 */
export function formatSnippet(language: Language, origin: string, call: ApiCall): string {
  const { method, path, access, example } = call
  const request: Request = {
    url: createExampleUrl(origin, call),
    origin,
    method,
    body: method === 'GET' ? null : JSON.stringify(example.body ?? {}),
    sendsCookie: access !== 'public' || pathsWithCookie.includes(path),
    setsCookie: method !== 'GET' && pathsSettingCookie.includes(path),
  }
  if (language === 'curl') return formatCurl(request)
  return language === 'TypeScript' ? formatTypeScript(request) : formatPython(request)
}

function formatCurl({ url, origin, method, body, sendsCookie, setsCookie }: Request): string {
  const parts = [`curl ${method === 'GET' ? '' : `-X ${method} `}${quoteShell(url)}`]
  if (sendsCookie) parts.push('-b cookies.txt')
  if (setsCookie) parts.push('-c cookies.txt')
  if (body !== null) {
    parts.push(`-H ${quoteShell(`Origin: ${origin}`)}`, "-H 'Content-Type: application/json'", `-d ${quoteShell(body)}`)
  }
  return parts.join(' \\\n  ')
}

function formatTypeScript({ url, origin, method, body, sendsCookie, setsCookie }: Request): string {
  const headers = [
    ...(body === null ? [] : [`Origin: ${quote(origin)}`, "'Content-Type': 'application/json'"]),
    ...(sendsCookie ? ["Cookie: process.env.SESSION_COOKIE ?? ''"] : []),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`method: ${quote(method)}`]),
    ...(headers.length > 0 ? [`headers: { ${headers.join(', ')} }`] : []),
    ...(body === null ? [] : [`body: JSON.stringify(${body})`]),
  ]
  const argument = options.length > 0 ? `, {\n${options.map((option) => `  ${option},\n`).join('')}}` : ''
  return [
    `const response = await fetch(${quote(url)}${argument})`,
    'if (!response.ok) throw new Error(await response.text())',
    'console.log(await response.text())',
    ...(setsCookie
      ? [
          "const cookies = response.headers.getSetCookie().map((line) => line.split(';')[0])",
          "console.log('SESSION_COOKIE:', cookies.join('; '))",
        ]
      : []),
  ].join('\n')
}

function formatPython({ url, origin, method, body, sendsCookie, setsCookie }: Request): string {
  const headers = [
    ...(body === null ? [] : [`"Origin": ${JSON.stringify(origin)}`, '"Content-Type": "application/json"']),
    ...(sendsCookie ? ['"Cookie": os.environ["SESSION_COOKIE"]'] : []),
  ]
  const options = [
    JSON.stringify(url),
    ...(method === 'GET' ? [] : [`method=${JSON.stringify(method)}`]),
    ...(headers.length > 0 ? [`headers={${headers.join(', ')}}`] : []),
    ...(body === null ? [] : [`data=${JSON.stringify(body)}.encode()`]),
  ]
  return [
    ...(sendsCookie ? ['import os'] : []),
    'import urllib.request',
    '',
    `request = urllib.request.Request(${options.join(', ')})`,
    'response = urllib.request.urlopen(request)',
    'print(response.read().decode())',
    ...(setsCookie
      ? [
          'cookies = [line.split(";")[0] for line in response.headers.get_all("Set-Cookie", [])]',
          'print("SESSION_COOKIE:", "; ".join(cookies))',
        ]
      : []),
  ].join('\n')
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

function quoteShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
