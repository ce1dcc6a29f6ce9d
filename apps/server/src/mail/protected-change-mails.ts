import { type AuditAction, getChain, type ProtectedKind } from '@tocsin/protocol'
import type { Mail } from '../context.ts'
import { composeMail, formatTime } from './compose.ts'

interface Change {
  kind: ProtectedKind
  chainId: number | null
  fromValue: string | null
  toValue: string
  effectiveAt: Date | null
}

const settingNames: Record<ProtectedKind, string> = {
  chain: 'payment chain',
  treasury: 'treasury',
  signer: 'signing key',
}

const stepTexts: Partial<Record<AuditAction, { subject: string; text: string }>> = {
  change_proposed: {
    subject: 'was proposed',
    text: 'It takes effect only after another admin has approved it and the delay has passed.',
  },
  change_approved: { subject: 'was approved', text: 'It takes effect at the time below, unless an admin cancels it.' },
  change_applied: { subject: 'has taken effect', text: 'It was approved by two admins.' },
  change_cancelled: { subject: 'was cancelled', text: 'Nothing has changed.' },
  change_expired: { subject: 'has expired', text: 'No second admin approved it within a week. Nothing has changed.' },
  change_void: {
    subject: 'was not applied',
    text: 'The setting was changed in another way, one of the two admins no longer had the permission, or the two-admin rule was switched off. Nothing has changed.',
  },
  change_forced: {
    subject: 'was made on the server without approval',
    text: 'Someone with access to the server has set it at once with a command, without the approval of two admins.',
  },
}

/**
 * Actions that apply a change. Instances read the approved treasuries only at their start, so they
 * must be restarted after a treasury has changed.
 */
const needsRestart = new Set<AuditAction>(['change_applied', 'change_forced'])

const cancellableActions = new Set<AuditAction>(['change_proposed', 'change_approved'])

/**
 * Email about a change of a protected setting (payment chain, treasury or signing key). Sent to all
 * owners and admins.
 */
export function protectedChangeMail(
  to: string,
  { change, action, at }: { change: Change; action: AuditAction; at: Date },
  publicUrl: string,
): Mail {
  const { kind, chainId, fromValue, toValue, effectiveAt } = change
  const { subject, text } = stepTexts[action] ?? { subject: 'was changed', text: '' }
  const formatValue = (value: string | null) =>
    value === null ? 'none' : kind === 'chain' ? `${getChain(Number(value)).name} (${value})` : value
  return composeMail(to, `A change of the ${settingNames[kind]} ${subject}`, {
    preview: `To ${formatValue(toValue)}.`,
    paragraphs: [
      `A change of the ${settingNames[kind]} ${subject}. ${text}`,
      ...(kind === 'treasury' && needsRestart.has(action)
        ? ['Restart every instance. Until then, payments go to the former address.']
        : []),
    ],
    facts: [
      ...(chainId === null ? [] : [{ label: 'Chain', value: getChain(chainId).name }]),
      { label: 'From', value: formatValue(fromValue) },
      { label: 'To', value: formatValue(toValue) },
      { label: 'Time', value: formatTime(at) },
      ...(effectiveAt && action === 'change_approved'
        ? [{ label: 'Takes effect', value: formatTime(effectiveAt) }]
        : []),
    ],
    action: { label: 'Open the admin area', url: `${publicUrl}/admin?tab=dashboard` },
    note: cancellableActions.has(action)
      ? 'If you do not expect this change, cancel it there and ask the other admins.'
      : 'If you do not expect this change, ask the other admins and check who has access to the server.',
  })
}

/**
 * Sent to all owners and admins when the server starts with another value of TWO_ADMINS than
 * before.
 */
export function ruleChangedMail(to: string, { isOn, at }: { isOn: boolean; at: Date }, publicUrl: string): Mail {
  return composeMail(to, isOn ? 'The two-admin rule is on' : 'The two-admin rule was switched off', {
    preview: 'It protects payment chain, treasury and signing key.',
    paragraphs: [
      isOn
        ? 'From now on, two admins approve a change of payment chain, treasury or signing key, and it takes effect after a delay.'
        : 'The server was started without the two-admin rule. One admin can now change the payment chain, and the environment decides treasury and signing key.',
    ],
    facts: [{ label: 'Time', value: formatTime(at) }],
    action: { label: 'Open the admin area', url: `${publicUrl}/admin?tab=dashboard` },
    note: isOn
      ? 'It was set on the server (TWO_ADMINS).'
      : 'If you do not expect this, check who has access to the server.',
  })
}
