import { createHash, generateKeyPairSync, type KeyPairKeyObjectResult, randomBytes, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** The user who signs in at the provider. A provider whose `person` is null denies the request. */
export interface TestPerson {
  sub: string
  email?: string
  email_verified?: boolean | string
  name?: string
}

/** An ID token before signing. Tests modify it to check that the server rejects it. */
export interface TestToken {
  header: Record<string, unknown>
  claims: Record<string, unknown>
  /** If true, the token is signed with a key that the provider does not publish. */
  isKeyUnpublished: boolean
}

export interface TestIdentityProvider {
  /** Values for the provider's section of the configuration. */
  settings: { issuer: string; clientId: string; clientSecret: string }
  redirectUris: string[]
  person: TestPerson | null
  change: (token: TestToken) => void
  /** Parameters that override the parameters of the next redirect. */
  redirectOverrides: Record<string, string>
  /** Received authorization and token requests, oldest first. */
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
  /**
   * If false, the provider behaves like LinkedIn: no PKCE, rejects a code verifier, and does not
   * echo the nonce.
   */
  usesPkce?: boolean
  /** Where email and name are: in the ID token, or only in the userinfo response. */
  claimsIn?: 'token' | 'userinfo'
}

const clientId = 'tocsin-test'
const clientSecret = 'test-client-secret'
/** A key that no provider publishes. All providers share it, because generating it takes long. */
let unpublishedKeys: KeyPairKeyObjectResult | undefined
const createKeys = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/**
 * Starts an OpenID Connect provider on a free port. It supports discovery, keys, the authorization
 * code flow with PKCE, and RS256.
 */
export async function startIdentityProvider(options: TestProviderOptions = {}): Promise<TestIdentityProvider> {
  const { usesPkce = true, claimsIn = 'token' } = options
  const keys = createKeys()
  const grants = new Map<string, Grant>()
  const accessTokens = new Map<string, TestPerson>()
  let issuer = ''

  const createDiscoveryDocument = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    userinfo_endpoint: `${issuer}/userinfo`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    authorization_response_iss_parameter_supported: true,
    ...(usesPkce ? { code_challenge_methods_supported: ['S256'] } : {}),
  })

  const authorize = (query: URLSearchParams): string | null => {
    const redirectUri = query.get('redirect_uri') ?? ''
    const isKnownClient = query.get('client_id') === clientId && query.get('response_type') === 'code'
    if (
      !isKnownClient ||
      !provider.redirectUris.includes(redirectUri) ||
      !query.get('scope')?.split(' ').includes('openid')
    )
      return null
    provider.authorizations.push(query)
    const parameters: Record<string, string> = { iss: issuer, state: query.get('state') ?? '' }
    if (provider.person) {
      parameters.code = randomBytes(16).toString('hex')
      const challenge = query.get('code_challenge_method') === 'S256' ? query.get('code_challenge') : null
      grants.set(parameters.code, { redirectUri, challenge, nonce: query.get('nonce'), person: provider.person })
    } else parameters.error = 'access_denied'
    const overrides = provider.redirectOverrides
    provider.redirectOverrides = {}
    return `${redirectUri}?${new URLSearchParams({ ...parameters, ...overrides })}`
  }

  const createTokenResponse = (form: URLSearchParams): [number, object] => {
    provider.tokenRequests.push(form)
    const isAuthenticatedClient = form.get('client_id') === clientId && form.get('client_secret') === clientSecret
    if (!isAuthenticatedClient || (!usesPkce && form.has('code_verifier'))) return [401, { error: 'invalid_client' }]
    const code = form.get('code') ?? ''
    const grant = grants.get(code)
    grants.delete(code)
    if (!grant || grant.redirectUri !== form.get('redirect_uri')) return [400, { error: 'invalid_grant' }]
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (usesPkce && grant.challenge !== challenge) return [400, { error: 'invalid_grant' }]
    const accessToken = randomBytes(16).toString('hex')
    accessTokens.set(accessToken, grant.person)
    return [200, { access_token: accessToken, token_type: 'Bearer', id_token: createIdToken(grant) }]
  }

  const createIdToken = ({ person, nonce }: Grant): string => {
    const now = Math.floor(Date.now() / 1000)
    const profile = claimsIn === 'token' ? person : { sub: person.sub }
    const nonceClaim = usesPkce && nonce !== null ? { nonce } : {}
    const token: TestToken = {
      header: { alg: 'RS256', kid: 'test', typ: 'JWT' },
      claims: { iss: issuer, aud: clientId, iat: now, exp: now + 300, ...profile, ...nonceClaim },
      isKeyUnpublished: false,
    }
    provider.change(token)
    const signingInput = `${encode(token.header)}.${encode(token.claims)}`
    if (token.header.alg === 'none') return `${signingInput}.`
    if (token.isKeyUnpublished) unpublishedKeys ??= createKeys()
    const { privateKey } = (token.isKeyUnpublished && unpublishedKeys) || keys
    return `${signingInput}.${sign('RSA-SHA256', Buffer.from(signingInput), privateKey).toString('base64url')}`
  }

  const handleRequest = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer)
    const send = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (pathname === '/.well-known/openid-configuration') return send(200, createDiscoveryDocument())
    if (pathname === '/keys') {
      const key = keys.publicKey.export({ format: 'jwk' })
      return send(200, { keys: [{ ...key, kid: 'test', alg: 'RS256', use: 'sig' }] })
    }
    if (pathname === '/token') return send(...createTokenResponse(new URLSearchParams(await text(request))))
    if (pathname === '/userinfo') {
      const person = accessTokens.get(request.headers.authorization?.replace('Bearer ', '') ?? '')
      return person ? send(200, person) : send(401, {})
    }
    const location = pathname === '/authorize' ? authorize(searchParams) : null
    return location ? response.writeHead(302, { location }).end() : send(400, { error: 'invalid_request' })
  }

  const server = createServer((request, response) => {
    handleRequest(request, response).catch(() => response.writeHead(500).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an AddressInfo, not a path.
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider: TestIdentityProvider = {
    settings: { issuer, clientId, clientSecret },
    redirectUris: [],
    person: null,
    change: () => {},
    redirectOverrides: {},
    authorizations: [],
    tokenRequests: [],
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return provider
}
