import { paths } from '../../paths.ts'

/** Why a page does not work without a network. */
const reasons: Record<string, { title: string; reason: string }> = {
  [paths.history]: {
    title: 'History',
    reason: 'Your activity and payments are on the server, and are not stored in this browser.',
  },
  [paths.verification]: {
    title: 'Verification',
    reason: 'Checking a proof reads the anchor from a node of the chain, which needs a network.',
  },
  [paths.settings]: {
    title: 'Settings',
    reason: 'Settings are saved on the server, so they can only be changed online.',
  },
  [paths.channels]: {
    title: 'Channels',
    reason: 'Destinations and their deliveries are stored on the server.',
  },
  [paths.admin]: { title: 'Admin', reason: 'Every admin action is checked and recorded by the server.' },
  [paths.auth]: { title: 'Log in', reason: 'The server checks your password or wallet when you log in.' },
  [paths.adminAuth]: { title: 'Admin sign-in', reason: 'The server checks your password when you log in.' },
  [paths.verifyEmail]: { title: 'Verify email', reason: 'The server checks the link that it mailed to you.' },
  [paths.resetPassword]: { title: 'Reset password', reason: 'The server checks the link that it mailed to you.' },
  [paths.cancelFactorReset]: {
    title: 'Keep your second factors',
    reason: 'The server checks the link that it mailed to you.',
  },
  [paths.unsubscribe]: { title: 'Unsubscribe', reason: 'The server checks the link that it mailed to you.' },
  [paths.outbox]: { title: 'Outbox', reason: 'The mails of the demo are on the server.' },
  [paths.contactSupport]: { title: 'Contact Support', reason: 'Your message is sent to the server.' },
  [paths.transparency]: { title: 'Transparency', reason: 'The log is read from the server and the chain.' },
  [paths.trackRecord]: {
    title: 'Track record',
    reason: 'The record counts every alert and outcome up to now, so it is read from the server.',
  },
}
const reasonsByPrefix = [
  { prefix: '/api/auth/', title: 'Log in', reason: 'A provider such as Google signs you in on its own site.' },
  { prefix: '/a/', title: 'Alert', reason: 'This alert is read from the server, and its proof is checked.' },
  {
    prefix: '/assets',
    title: 'Asset',
    reason: 'Prices and alerts of an asset are loaded from the server.',
  },
]

const findReason = (path: string) => reasons[path] ?? reasonsByPrefix.find(({ prefix }) => path.startsWith(prefix))

const trimSlash = (path: string) => path.replace(/(.)\/$/, '$1')

export function getReason(path: string): string {
  return findReason(trimSlash(path))?.reason ?? 'This page is read from the server.'
}

export function getOfflineTitle(path: string): string {
  const titles: Record<string, string> = { [paths.dashboard]: 'Dashboard', [paths.notifications]: 'Notifications' }
  return titles[trimSlash(path)] ?? findReason(trimSlash(path))?.title ?? 'Offline'
}
