import { lazyRouteComponent } from '@tanstack/react-router'

/** A script could not be fetched: a new release replaced it, or the connection was lost. */
export class LoadError extends Error {
  constructor(cause: unknown) {
    super('load_failed', { cause })
    this.name = 'LoadError'
  }
}

/** @throws LoadError */
export async function importOrThrow<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    throw new LoadError(error)
  }
}

/**
 * A lazily loaded page. By default the router reloads the window if loading fails, which shows the
 * browser's error page to offline users. Throwing LoadError shows our error screen with a reload
 * button instead.
 */
export function loadPage<Module extends Record<string, unknown>, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
) {
  return lazyRouteComponent(() => importOrThrow(load), name)
}
