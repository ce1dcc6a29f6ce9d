import { type ComponentType, lazy } from 'react'

/**
 * A part that is fetched after the page stands and that the page can do without: when it can't be fetched it is left out, where an error would take the
 * whole page with it.
 */
export function loadLate<Props>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  return lazy(async () => ({ default: await load().catch((): ComponentType<Props> => () => null) }))
}
