import { expect } from '@playwright/test'
import type { Product } from './product.ts'

interface Mail {
  to: string
  subject: string
  text: string
  links: string[]
}

/**
 * The newest mail to this address with such a subject, as soon as the product has sent so many of
 * them: it sends them some time after the page has said so.
 */
export async function waitForMail(
  { url }: Pick<Product, 'url'>,
  to: string,
  subject: RegExp,
  count = 1,
): Promise<Mail> {
  const found: Mail[] = []
  await expect
    .poll(async () => {
      const answer = await fetch(`${url}/dev/outbox.json`)
      const mails: Mail[] = await answer.json()
      found.splice(0, found.length, ...mails.filter((mail) => mail.to === to && subject.test(mail.subject)))
      return found.length
    }, `a mail to ${to} about ${subject}`)
    .toBeGreaterThanOrEqual(count)
  const [newest] = found
  if (!newest) throw new Error('No mail')
  return newest
}

/** The link of a mail that opens this page. */
export function linkTo(page: string, { links }: Mail): string {
  const link = links.find((candidate) => new URL(candidate).pathname === page)
  if (link === undefined) throw new Error(`No link to ${page} among ${links.join(' ')}`)
  return link
}
