// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { type Answers, createRefusal, expectText, failToConnect, openPage, signedOut } from './open-page.tsx'

const SEND = 'POST /api/support'
const messageFields = {
  Name: 'Ida Inquirer',
  Email: 'ida@example.com',
  Subject: 'Where is my plan?',
  Message: 'I paid at noon.',
}

async function openForm(answers: Answers = {}) {
  const page = await openPage('/contact-support', { ...signedOut, ...answers })
  const field = (label: string) => screen.getByRole<HTMLInputElement>('textbox', { name: label })
  await screen.findByRole('button', { name: 'Send message' })
  return {
    ...page,
    field,
    async fill(values: Record<string, string>) {
      for (const [label, text] of Object.entries(values)) {
        await page.user.clear(field(label))
        await page.user.type(field(label), text)
      }
    },
    send: () => page.user.click(screen.getByRole('button', { name: 'Send message' })),
    letters: () => page.sent.filter(({ path }) => path === '/api/support').map(({ body }) => body),
  }
}

it('/contact-support: names every missing field, focuses the first and sends nothing', async () => {
  const { send, field, letters: supportMessages } = await openForm()
  await send()
  for (const problem of ['your name', 'a valid email address', 'a subject', 'a message']) {
    await expectText(`Please enter ${problem}`)
  }
  expect(document.activeElement).toBe(field('Name'))
  expect(supportMessages()).toEqual([])
})

it('/contact-support: rejects an email address without a domain, shows no error for the name and sends nothing', async () => {
  const { send, fill, letters: supportMessages } = await openForm()
  await fill({ ...messageFields, Email: 'ida@' })
  await send()
  await expectText('Please enter a valid email address')
  expect(screen.queryByText('Please enter your name')).toBeNull()
  expect(supportMessages()).toEqual([])
})

it.each([
  ['the server cannot be reached', failToConnect, 'Your message could not be sent. Please try again.'],
  [
    'the server refuses',
    createRefusal(429, 'too_many_requests', 'Too many messages in an hour. Please try again later.'),
    'Too many messages in an hour. Please try again later.',
  ],
])('/contact-support: keeps the entered text when %s', async (_case, answer, message) => {
  const { send, fill, field } = await openForm({ [SEND]: answer })
  await fill(messageFields)
  await send()
  await expectText(message)
  for (const [label, text] of Object.entries(messageFields)) expect(field(label).value).toBe(text)
})

it('/contact-support: sends the entered text once and clears the form', async () => {
  const {
    send,
    fill,
    field,
    letters: supportMessages,
  } = await openForm({ [SEND]: { success: true, message: 'We answer soon.' } })
  await fill(messageFields)
  await send()
  await expectText('Message Sent')
  const { Name: name, Email: email, Subject: subject, Message: message } = messageFields
  expect(supportMessages()).toEqual([{ name, email, subject, message }])
  for (const label of Object.keys(messageFields)) expect(field(label).value).toBe('')
})
