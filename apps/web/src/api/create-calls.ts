import type { Endpoint, EndpointName } from '@tocsin/protocol'

/** The fields of an endpoint that the browser needs. */
type Call = Pick<Endpoint, 'method' | 'path' | 'responseType' | 'creates'>
export type Calls = { readonly [name in EndpointName]?: Call }

/** Reduces each endpoint of a table to the fields of `Call`, without schemas and texts. */
export function createCalls(table: { readonly [name: string]: Endpoint }): Calls {
  return Object.fromEntries(
    Object.entries(table).map(([name, { method, path, responseType, creates }]) => [
      name,
      { method, path, responseType, creates },
    ]),
  )
}
