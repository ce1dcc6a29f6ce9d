import { apiKeyLimits } from '@tocsin/protocol'
import { paths } from '../../paths.ts'

const { keys, requestsPerMinute, costlyRequests } = apiKeyLimits

/**
 * Describes how API keys work, for all calls together. The entry of each call names the scope that
 * the call needs.
 */
export function ApiKeyReference() {
  return (
    <section aria-labelledby="api-keys-title" className="mt-10 max-w-170">
      <h2 id="api-keys-title" className="text-h2">
        API keys
      </h2>
      <div className="prose mt-3">
        <p>
          Programs send a key from <a href={paths.settings}>Settings</a>: <code>Authorization: Bearer tocsin_…</code>.
          Each call below names the scope that opens it: <code>alerts</code>, <code>verify</code> or none. The scope{' '}
          <code>stream</code> opens <code>/ws</code>, with the key in the handshake or in the first message at{' '}
          <code>/ws?auth=key</code>. Cookies are ignored, and pages of any origin may make the call. Within its scopes,
          a key can read everything that the account’s plan allows.
        </p>
        <p>
          Limits: each key has its own number of requests a minute, and all keys of an account together have{' '}
          {requestsPerMinute}. An account has at most {keys} keys. A costly call counts as {costlyRequests} requests.
          Beyond that: 429 with <code>Retry-After</code> in seconds.
        </p>
        <p>
          Errors: 401 <code>api_key_invalid</code> (malformed, unknown or revoked), <code>api_key_expired</code>,{' '}
          <code>api_key_in_url</code>. 403 <code>api_key_scope</code>, <code>account_suspended</code>. 429{' '}
          <code>too_many_requests</code>. The stream closes with 4401 when the key is revoked or expires, and with 4403
          when the plan ends.
        </p>
      </div>
    </section>
  )
}
