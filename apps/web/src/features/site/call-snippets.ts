import type { ApiCall } from './api-document.ts'

export const languages = ['curl', 'TypeScript', 'Python'] as const
export type Language = (typeof languages)[number]

/** The call's own address with its example filled in. */
export function exampleUrl(origin: string, { path, example }: ApiCall): string {
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(String(example.params?.[name] ?? name)),
  )
  const query = new URLSearchParams(
    Object.entries(example.query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
  )
  return `${origin}${filled}${query.size > 0 ? `?${query}` : ''}`
}

/** How a program makes the call. Writes name their origin, because the server takes them from its own pages alone. */
export function writeSnippet(language: Language, origin: string, call: ApiCall): string {
  const url = exampleUrl(origin, call)
  const body = call.method === 'GET' ? null : JSON.stringify(call.example.body ?? {})
  const needsSession = call.access !== 'public'
  const startsSession = call.path.startsWith('/api/auth/') && !needsSession && body !== null
  if (language === 'curl')
    return writeCurl(url, origin, call.method, body, needsSession) + (startsSession ? ' \\\n  -c cookies.txt' : '')
  return language === 'TypeScript'
    ? writeTypeScript(url, origin, call.method, body, needsSession)
    : writePython(url, origin, call.method, body, needsSession)
}

function writeCurl(url: string, origin: string, method: string, body: string | null, needsSession: boolean): string {
  const parts = [`curl ${method === 'GET' ? '' : `-X ${method} `}${quoteShell(url)}`]
  if (needsSession) parts.push('-b cookies.txt')
  if (body !== null) {
    parts.push(`-H ${quoteShell(`Origin: ${origin}`)}`, "-H 'Content-Type: application/json'", `-d ${quoteShell(body)}`)
  }
  return parts.join(' \\\n  ')
}

function writeTypeScript(
  url: string,
  origin: string,
  method: string,
  body: string | null,
  needsSession: boolean,
): string {
  const headers = [
    ...(body === null ? [] : [`Origin: ${quote(origin)}`, "'Content-Type': 'application/json'"]),
    ...(needsSession ? ['Cookie: sessionCookie'] : []),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`method: ${quote(method)}`]),
    ...(headers.length > 0 ? [`headers: { ${headers.join(', ')} }`] : []),
    ...(body === null ? [] : [`body: JSON.stringify(${body})`]),
  ]
  const argument = options.length > 0 ? `, {\n${options.map((option) => `  ${option},\n`).join('')}}` : ''
  return `const answer = await fetch(${quote(url)}${argument})\nif (!answer.ok) throw new Error(await answer.text())\nconsole.log(await answer.text())`
}

function writePython(url: string, origin: string, method: string, body: string | null, needsSession: boolean): string {
  const headers = [
    ...(body === null ? [] : [`"Origin": ${JSON.stringify(origin)}`, '"Content-Type": "application/json"']),
    ...(needsSession ? ['"Cookie": session_cookie'] : []),
  ]
  const options = [
    JSON.stringify(url),
    ...(method === 'GET' ? [] : [`method=${JSON.stringify(method)}`]),
    ...(headers.length > 0 ? [`headers={${headers.join(', ')}}`] : []),
    ...(body === null ? [] : [`data=${JSON.stringify(body)}.encode()`]),
  ]
  return `import urllib.request\n\nrequest = urllib.request.Request(${options.join(', ')})\nprint(urllib.request.urlopen(request).read().decode())`
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

function quoteShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
