import { expect } from '@playwright/test'
import type { Product } from './product.ts'

interface Mail {
  to: string
  subject: string
  text: string
  links: string[]
}

/**
 * Waits until `count` emails with a matching subject were sent to the address and returns the
 * newest. Emails are queued: the product sends them some time after the page confirms the action.
 */
export async function waitForMail(
  { url }: Pick<Product, 'url'>,
  to: string,
  subject: RegExp,
  count = 1,
): Promise<Mail> {
  const foundMails: Mail[] = []
  await expect
    .poll(async () => {
      const response = await fetch(`${url}/dev/outbox.json`)
      const mails: Mail[] = await response.json()
      foundMails.splice(0, foundMails.length, ...mails.filter((mail) => mail.to === to && subject.test(mail.subject)))
      return foundMails.length
    }, `mail to ${to} with subject ${subject}`)
    .toBeGreaterThanOrEqual(count)
  const [newestMail] = foundMails
  if (!newestMail) throw new Error('No mail')
  return newestMail
}

/** Returns the link of the email whose path is `page`. */
export function findLink(page: string, { links }: Mail): string {
  const link = links.find((candidate) => new URL(candidate).pathname === page)
  if (link === undefined) throw new Error(`No link to ${page} among ${links.join(' ')}`)
  return link
}
