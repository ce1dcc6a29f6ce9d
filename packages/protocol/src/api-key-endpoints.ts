import { z } from 'zod'
import * as keys from './api-keys.ts'
import { byId, emptyBody, endpoint } from './endpoint.ts'
import { done } from './primitives.ts'

/** Separate from the other endpoints because only the settings pages load these schemas. */
export const apiKeyEndpoints = {
  listApiKeys: endpoint({
    path: '/api/keys',
    access: 'account',
    summary: 'The account’s API keys, newest first, without the keys themselves',
    response: z.array(keys.apiKey),
  }),
  createApiKey: endpoint({
    method: 'POST',
    path: '/api/keys',
    access: 'account',
    recent: true,
    creates: 'secret',
    limit: 'credential',
    summary: 'Create an API key. The response contains the key, which is shown once',
    body: keys.newApiKey,
    response: keys.createdApiKey,
  }),
  revokeApiKey: endpoint({
    method: 'DELETE',
    path: '/api/keys/:id',
    access: 'account',
    recent: true,
    summary: 'Revoke an API key at once and close the streams that it opened',
    params: byId,
    body: emptyBody,
    response: done,
  }),
} as const
