import { lazyRouteComponent } from '@tanstack/react-router'

/** A script of the site could not be fetched: a new release has replaced it, or the connection is gone. */
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
 * A page that is fetched when it is first shown. By itself the router reloads the window when that fails, which replaces the site by
 * the browser's own error page for a reader who is offline. With a LoadError the error screen offers to reload.
 */
export function loadPage<Module extends Record<string, unknown>, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
) {
  return lazyRouteComponent(() => importOrThrow(load), name)
}
