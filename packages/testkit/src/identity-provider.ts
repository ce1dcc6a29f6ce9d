import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** Who sits before the provider's own sign-in page; null says no there. */
export interface TestPerson {
  sub: string
  email?: string
  email_verified?: boolean | string
  name?: string
}

/** An ID token before it is signed. A test changes it to see that it is refused. */
export interface TestToken {
  header: Record<string, unknown>
  claims: Record<string, unknown>
  /** Signed by a key that the provider does not publish. */
  foreignKey: boolean
}

export interface TestIdentityProvider {
  /** For the settings of a provider. */
  settings: { issuer: string; clientId: string; clientSecret: string }
  /** Where it may send browsers back to. */
  redirectUris: string[]
  person: TestPerson | null
  change: (token: TestToken) => void
  /** Parameters that are put into the next return, over the right ones. */
  returning: Record<string, string>
  /** Authorization requests and token requests that it has had, oldest first. */
  authorizations: URLSearchParams[]
  tokenRequests: URLSearchParams[]
  stop(): Promise<void>
}

interface Grant {
  redirectUri: string
  challenge: string | null
  nonce: string | null
  person: TestPerson
}

export interface TestProviderOptions {
  /** False: as LinkedIn does, it advertises no PKCE, refuses a verifier and echoes no nonce. */
  bindsCode?: boolean
  /** Where e-mail and name stand: in the ID token, or only in the answer of the userinfo endpoint. */
  claimsIn?: 'token' | 'userinfo'
}

const clientId = 'tocsin-test'
const clientSecret = 'a secret between the two of us'
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** An OpenID Connect provider on a free port: discovery, keys, authorization code with PKCE, RS256. */
export async function startIdentityProvider(options: TestProviderOptions = {}): Promise<TestIdentityProvider> {
  const { bindsCode = true, claimsIn = 'token' } = options
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const grants = new Map<string, Grant>()
  const accessTokens = new Map<string, TestPerson>()
  let issuer = ''

  const discovery = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    userinfo_endpoint: `${issuer}/userinfo`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    authorization_response_iss_parameter_supported: true,
    ...(bindsCode ? { code_challenge_methods_supported: ['S256'] } : {}),
  })

  const authorize = (query: URLSearchParams): string | null => {
    const redirectUri = query.get('redirect_uri') ?? ''
    const isOurs = query.get('client_id') === clientId && query.get('response_type') === 'code'
    if (!isOurs || !provider.redirectUris.includes(redirectUri) || !query.get('scope')?.split(' ').includes('openid'))
      return null
    provider.authorizations.push(query)
    const answer: Record<string, string> = { iss: issuer, state: query.get('state') ?? '' }
    if (provider.person) {
      answer.code = randomBytes(16).toString('hex')
      const challenge = query.get('code_challenge_method') === 'S256' ? query.get('code_challenge') : null
      grants.set(answer.code, { redirectUri, challenge, nonce: query.get('nonce'), person: provider.person })
    } else answer.error = 'access_denied'
    const returning = provider.returning
    provider.returning = {}
    return `${redirectUri}?${new URLSearchParams({ ...answer, ...returning })}`
  }

  const issueToken = (form: URLSearchParams): [number, object] => {
    provider.tokenRequests.push(form)
    const isClient = form.get('client_id') === clientId && form.get('client_secret') === clientSecret
    if (!isClient || (!bindsCode && form.has('code_verifier'))) return [401, { error: 'invalid_client' }]
    const code = form.get('code') ?? ''
    const grant = grants.get(code)
    grants.delete(code)
    if (!grant || grant.redirectUri !== form.get('redirect_uri')) return [400, { error: 'invalid_grant' }]
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (bindsCode && grant.challenge !== challenge) return [400, { error: 'invalid_grant' }]
    const accessToken = randomBytes(16).toString('hex')
    accessTokens.set(accessToken, grant.person)
    return [200, { access_token: accessToken, token_type: 'Bearer', id_token: idToken(grant) }]
  }

  const idToken = ({ person, nonce }: Grant): string => {
    const now = Math.floor(Date.now() / 1000)
    const profile = claimsIn === 'token' ? person : { sub: person.sub }
    const echoed = bindsCode && nonce !== null ? { nonce } : {}
    const token: TestToken = {
      header: { alg: 'RS256', kid: 'test', typ: 'JWT' },
      claims: { iss: issuer, aud: clientId, iat: now, exp: now + 300, ...profile, ...echoed },
      foreignKey: false,
    }
    provider.change(token)
    const signed = `${encode(token.header)}.${encode(token.claims)}`
    if (token.header.alg === 'none') return `${signed}.`
    const { privateKey } = token.foreignKey ? foreign : keys
    return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), privateKey).toString('base64url')}`
  }

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer)
    const send = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (pathname === '/.well-known/openid-configuration') return send(200, discovery())
    if (pathname === '/keys') {
      const key = keys.publicKey.export({ format: 'jwk' })
      return send(200, { keys: [{ ...key, kid: 'test', alg: 'RS256', use: 'sig' }] })
    }
    if (pathname === '/token') return send(...issueToken(new URLSearchParams(await text(request))))
    if (pathname === '/userinfo') {
      const person = accessTokens.get(request.headers.authorization?.replace('Bearer ', '') ?? '')
      return person ? send(200, person) : send(401, {})
    }
    const location = pathname === '/authorize' ? authorize(searchParams) : null
    return location ? response.writeHead(302, { location }).end() : send(400, { error: 'invalid_request' })
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(500).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // Listening on a port, its address is no path.
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider: TestIdentityProvider = {
    settings: { issuer, clientId, clientSecret },
    redirectUris: [],
    person: null,
    change: () => {},
    returning: {},
    authorizations: [],
    tokenRequests: [],
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return provider
}
