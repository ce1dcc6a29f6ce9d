import type { Locator } from '@playwright/test'

/**
 * Returns the accessible names of all images and charts in an element. The name of an unnamed one
 * is an empty string.
 */
export async function listPictures(element: Locator): Promise<string[]> {
  const tree = await element.ariaSnapshot()
  return [...tree.matchAll(/^\s*- '?(?:img|figure)\b(?: "((?:[^"\\]|\\.)*)")?/gm)].map(([, name = '']) => name)
}
