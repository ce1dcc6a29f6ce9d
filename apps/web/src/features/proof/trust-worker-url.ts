/**
 * The part of the Trusted Types API that is used here. TypeScript's DOM types do not have it yet.
 */
type ScriptUrlPolicy = { createScriptURL(url: string): URL }
type PolicyFactory = {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): ScriptUrlPolicy
}

declare global {
  var trustedTypes: PolicyFactory | undefined
}

/**
 * The content security policy requires Trusted Types: a worker starts only from a URL that this
 * policy approves, which must be one of the site's built scripts.
 * `apps/server/src/http/security.ts` names the policy.
 */
const policy = globalThis.trustedTypes?.createPolicy('tocsin-worker', { createScriptURL: assertBuiltScript })

/** Returns a plain string in browsers without Trusted Types. */
export function createTrustedWorkerUrl(url: string): string | URL {
  return policy ? policy.createScriptURL(url) : assertBuiltScript(url)
}

/** @throws TypeError if the URL is not one of the site's built scripts */
function assertBuiltScript(url: string): string {
  const { origin, pathname } = new URL(url, location.origin)
  const isBuilt = pathname.startsWith('/assets/') || import.meta.env.DEV
  if (origin !== location.origin || !isBuilt) throw new TypeError('Not a script of this site')
  return url
}
