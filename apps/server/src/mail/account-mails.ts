import type { Mail } from '../context.ts'
import { type MailContent, renderMail } from './layout.ts'

// Mails contain no user input, not even a name: otherwise anyone could send text of their choice to
// a stranger’s mailbox.

function compose(to: string, subject: string, content: Omit<MailContent, 'heading'>): Mail {
  return { to, subject, ...renderMail({ heading: subject, ...content }) }
}

/**
 * @param signUp `device` is built from known names; `hasOthers` if sign-ups with another password
 *   are pending for this address
 */
export function verifyEmailMail(
  to: string,
  url: string,
  { device, at, expiresAt, hasOthers }: { device: string; at: Date; expiresAt: Date; hasOthers: boolean },
): Mail {
  const others =
    'Another sign-up with a different password is waiting for this address too. Compare time and device: open only the link of your own.'
  return compose(to, 'Verify your email address', {
    preview: 'One step and your Tocsin account is ready.',
    paragraphs: [
      'Somebody, hopefully you, signed up for Tocsin with this address.',
      'Verify it to finish. The link works once and sets the password that was chosen at this sign-up.',
      ...(hasOthers ? [others] : []),
    ],
    facts: [
      { label: 'Time', value: formatTime(at) },
      { label: 'Device', value: device },
      { label: 'Link expires', value: formatTime(expiresAt) },
    ],
    action: { label: 'Verify address', url },
    note: 'If you did not sign up at that time, do not open the link: without it there is no account.',
  })
}

export function severalSignUpsMail(to: string, publicUrl: string): Mail {
  return compose(to, 'Sign up again to get a new link', {
    preview: 'Several sign-ups wait for this address.',
    paragraphs: [
      'Somebody, hopefully you, asked for a new link to verify this address. Sign-ups with different passwords are waiting for it, and we cannot tell which one is yours.',
      'Sign up again, or open the link of the earlier email that shows the time and device of your own sign-up.',
    ],
    action: { label: 'Sign up', url: `${publicUrl}/auth?tab=sign-up` },
    note: 'Do not open the link of a sign-up that is not yours: it sets the password that a stranger chose.',
  })
}

export function resetPasswordMail(to: string, url: string): Mail {
  return compose(to, 'Reset your password', {
    preview: 'Choose a new password for Tocsin.',
    paragraphs: [
      'Somebody, hopefully you, asked for a new password for the Tocsin account with this address.',
      'The link works once, for one hour. A new password signs you out everywhere.',
    ],
    action: { label: 'Choose a new password', url },
    note: 'If you did not ask for it, ignore this email: your password stays as it is.',
  })
}

export function alreadyRegisteredMail(to: string, publicUrl: string): Mail {
  return compose(to, 'You already have an account', {
    preview: 'Somebody tried to sign up with your address.',
    paragraphs: [
      'Somebody tried to sign up for Tocsin with this address, but it already has an account. Nothing was changed.',
      'If it was you, sign in. If you have forgotten your password, you can choose a new one there.',
    ],
    action: { label: 'Sign in', url: `${publicUrl}/auth` },
    note: 'If it was not you, there is nothing to do: nobody has got into your account.',
  })
}

export function passwordChangedMail(to: string, publicUrl: string): Mail {
  return compose(to, 'Your password was changed', {
    preview: 'Your Tocsin password was changed a moment ago.',
    paragraphs: [
      'The password of your Tocsin account was changed, and all other browsers were signed out.',
      'Wallets and providers that are linked to it can still sign in. You see and remove them under Settings.',
    ],
    action: { label: 'Sign in', url: `${publicUrl}/auth` },
    note: 'If it was not you, choose a new password at once with “Forgot password” on the sign-in page.',
  })
}

/** @param way display name of the sign-in method: "Google", "Wallet 0x…" */
export function wayInAddedMail(to: string, way: string, at: Date, publicUrl: string): Mail {
  return compose(to, 'A way to sign in was added', {
    preview: `${way} can sign in to your Tocsin account now.`,
    paragraphs: [`${way} was linked to your Tocsin account and can sign in to it from now on.`],
    facts: [{ label: 'Time', value: formatTime(at) }],
    action: { label: 'See your ways to sign in', url: `${publicUrl}/settings` },
    note: 'If it was not you, choose a new password with “Forgot password” on the sign-in page: there you can remove it too.',
  })
}

/** @param way display name of the sign-in method: "Google", "Wallet 0x…" */
export function wayInRemovedMail(to: string, way: string, at: Date, publicUrl: string): Mail {
  return compose(to, 'A way to sign in was removed', {
    preview: `${way} can no longer sign in to your Tocsin account.`,
    paragraphs: [
      `${way} was removed from your Tocsin account and can no longer sign in to it. Sessions that it opened have ended.`,
    ],
    facts: [{ label: 'Time', value: formatTime(at) }],
    action: { label: 'See your ways to sign in', url: `${publicUrl}/settings` },
    note: 'If it was not you, choose a new password with “Forgot password” on the sign-in page.',
  })
}

export function changeEmailMail(to: string, url: string): Mail {
  return compose(to, 'Verify your new email address', {
    preview: 'Open the link and your Tocsin account uses this address.',
    paragraphs: [
      'Somebody, hopefully you, wants to use this address for their Tocsin account.',
      'Open the link to verify it. It works once, for one hour. Until then nothing changes.',
    ],
    action: { label: 'Use this address', url },
    note: 'If it was not you, ignore this email: without the link this address is not used.',
  })
}

export function addressInUseMail(to: string, publicUrl: string): Mail {
  return compose(to, 'This address already has an account', {
    preview: 'Somebody wanted to use your address for another Tocsin account.',
    paragraphs: [
      'Somebody wanted to use this address for another Tocsin account. It already has one of its own, so nothing was changed.',
      'If it was you, sign in with this address instead, or give up its account first.',
    ],
    action: { label: 'Sign in', url: `${publicUrl}/auth` },
    note: 'If it was not you, there is nothing to do: nobody has got into your account.',
  })
}

/**
 * Sent to the old address. Does not contain the new one: the current reader of the old mailbox may
 * not be the account owner.
 */
export function emailChangedMail(to: string, at: Date, publicUrl: string): Mail {
  return compose(to, 'Your email address was changed', {
    preview: 'Your Tocsin account uses another address from now on.',
    paragraphs: [
      'Your Tocsin account uses another email address from now on. This one is not needed to sign in any more, and gets no more email about it.',
    ],
    facts: [{ label: 'Time', value: formatTime(at) }],
    action: { label: 'Get help', url: `${publicUrl}/contact-support` },
    note: 'If it was not you, somebody has got into your account: write to us at once.',
  })
}

/** @param device built from known names, never the raw user agent */
export function newDeviceMail(to: string, device: string, at: Date, publicUrl: string): Mail {
  return compose(to, 'New sign-in to your account', {
    preview: `${device}, ${formatTime(at)}`,
    paragraphs: [
      'Somebody, hopefully you, signed in to your Tocsin account in a browser that was not used for it before.',
    ],
    facts: [
      { label: 'Device', value: device },
      { label: 'Time', value: formatTime(at) },
    ],
    action: { label: 'See your sessions', url: `${publicUrl}/settings` },
    note: 'If it was not you, end that session under Settings, and then change your password: this signs out everybody else.',
  })
}

export function guessedAtMail(to: string, at: Date, publicUrl: string): Mail {
  return compose(to, 'Somebody is guessing your password', {
    preview: 'Wrong passwords were tried for your Tocsin account. None of them opened it.',
    paragraphs: [
      'Somebody has tried several wrong passwords for your Tocsin account within an hour. None of them opened it.',
      'Further guesses have to wait longer and longer. In a browser that you have signed in with before, you can still sign in at any time.',
    ],
    facts: [{ label: 'Time', value: formatTime(at) }],
    action: { label: 'Choose a new password', url: `${publicUrl}/auth?mode=forgot-password` },
    note: 'If your password is long and used nowhere else, there is nothing to do. We write at most one such email a day.',
  })
}

export function madeAdminMail(to: string, at: Date, publicUrl: string): Mail {
  return compose(to, 'Your account is an admin account now', {
    preview: 'You were signed out. Sign in again to use your new rights.',
    paragraphs: [
      'An admin has given your Tocsin account admin rights, and all your sessions have ended. Sign in again to use them.',
      'Admin accounts need a password of at least 12 characters. If yours is shorter, choose a new one.',
    ],
    facts: [{ label: 'Time', value: formatTime(at) }],
    action: { label: 'Choose a new password', url: `${publicUrl}/auth?mode=forgot-password` },
    note: 'If you did not expect this, ask the operator of this site.',
  })
}

export function accountDeletedMail(to: string, at: Date, publicUrl: string): Mail {
  return compose(to, 'Your account was deleted', {
    preview: 'Your Tocsin account and what we held about you are gone.',
    paragraphs: [
      'Your Tocsin account was deleted, with your name, your address, your wallets and your history. Nobody can sign in to it any more.',
      'Alerts stay in the public log permanently: they contain nothing about you. Payments stay on the chain.',
    ],
    facts: [{ label: 'Time', value: formatTime(at) }],
    note: `If it was not you, write to us at ${publicUrl}/contact-support. You can sign up again with this address at any time.`,
  })
}

/** 2026-01-15 12:00 UTC */
const formatTime = (at: Date) => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
