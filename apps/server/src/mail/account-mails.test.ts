import { expect, test } from 'vitest'
import * as accountMails from './account-mails.ts'
import * as factorMails from './factor-mails.ts'

const mails = { ...accountMails, ...factorMails }

const site = 'https://alerts.example.com'
const at = new Date('2026-01-15T12:00:00Z')
const signUpDetails = { device: 'Firefox on Linux', at, expiresAt: at, hasOthers: true }
const writtenMails = [
  mails.verifyEmailMail('ann@example.com', `${site}/verify-email?token=x`, signUpDetails),
  mails.severalSignUpsMail('ann@example.com', site),
  mails.resetPasswordMail('ann@example.com', `${site}/reset-password?token=x`),
  mails.alreadyRegisteredMail('ann@example.com', site),
  mails.passwordChangedMail('ann@example.com', site),
  mails.signInMethodAddedMail('ann@example.com', 'Google', at, site),
  mails.signInMethodRemovedMail('ann@example.com', 'Google', at, site, 'removed'),
  mails.changeEmailMail('ann@example.com', `${site}/verify-email?token=x`),
  mails.addressInUseMail('ann@example.com', site),
  mails.emailChangedMail('ann@example.com', at, site),
  mails.newDeviceMail(
    'ann@example.com',
    { device: 'Firefox on Linux', method: 'password', place: 'Lyon, France', at },
    site,
  ),
  mails.failedSignInsMail('ann@example.com', at, site),
  mails.roleChangedMail('ann@example.com', { from: 'user', to: 'admin', at, needsFactor: true }, site),
  mails.roleChangeNoticeMail('ann@example.com', { from: 'admin', to: 'user', at, accountId: 'a1' }, site),
  mails.apiKeyCreatedMail('ann@example.com', { prefix: 'tocsin_Ab3dE', scopes: 'stream', at, expiresAt: null }, site),
  mails.channelFailingMail('ann@example.com', at, site),
  mails.factorChangedMail('ann@example.com', { change: 'added', factor: 'Passkey', at }, site),
  mails.recoveryCodeUsedMail('ann@example.com', { left: 9, at }, site),
  mails.wrongCodesMail('ann@example.com', at, site),
  mails.factorResetMail('ann@example.com', `${site}/cancel-factor-reset?token=x`),
  mails.factorResetCancelledMail('ann@example.com', at, site),
  mails.factorResetAppliedMail('ann@example.com', at, site),
  mails.takeoverMail('ann@example.com', { accountId: 'a1', at }, site),
  mails.accountDeletedMail('ann@example.com', at, site),
]
/** Paths of pages on the site. An emailed link must not lead to a missing page. */
const pagePaths = [
  '/verify-email',
  '/reset-password',
  '/auth',
  '/settings',
  '/admin',
  '/settings/channels',
  '/contact-support',
  '/cancel-factor-reset',
]

test('account emails: every email is covered by this test', () => {
  expect(writtenMails).toHaveLength(Object.keys(mails).length)
})

test.each(writtenMails.map((mail) => [mail.subject, mail] as const))(
  'account emails: "%s" has only safe HTML and links to pages of the product',
  (_subject, { to, subject, text, html }) => {
    expect(to).toBe('ann@example.com')
    const links = [...text.matchAll(/https?:\/\/[^\s"<]+/g)].map(([link]) => new URL(link.replace(/\.$/, '')))
    expect(links.length).toBeGreaterThan(0)
    for (const { origin, pathname } of links) expect([origin, pagePaths.includes(pathname)]).toEqual([site, true])
    expect(html).toContain(`<title>${subject}</title>`)
    expect(html).not.toMatch(/<(script|img|iframe|link|form)\b|\bon\w+=|javascript:/i)
  },
)

test.each([
  ['removed', /^All other sessions of your account have ended\.$/],
  ['rejected', /^Sessions opened with this signature have ended\.$/],
] as const)(
  'account emails: the email about a %s sign-in method names the ended sessions',
  (reason, expectedSentence) => {
    const { text } = mails.signInMethodRemovedMail('ann@example.com', 'Google', at, site, reason)
    const sentences = text.replaceAll('\n', ' ').split(/(?<=\.) +/)
    expect(sentences).toContainEqual(expect.stringMatching(expectedSentence))
  },
)
