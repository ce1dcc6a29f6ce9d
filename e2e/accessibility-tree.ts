import type { Locator } from '@playwright/test'

/**
 * The names of the pictures and charts in an element, as screen readers get them. An unnamed one is
 * an empty text.
 */
export async function listPictures(element: Locator): Promise<string[]> {
  const tree = await element.ariaSnapshot()
  return [...tree.matchAll(/^\s*- '?(?:img|figure)\b(?: "((?:[^"\\]|\\.)*)")?/gm)].map(([, name = '']) => name)
}
