import type { SecurityCategory } from '@tocsin/protocol'

export const categoryLabels: Record<SecurityCategory, string> = {
  'sign-in': 'Sign-ins',
  access: 'Changes of access',
  admin: 'Admin actions',
  refused: 'Rejected requests',
  alarm: 'Alarms',
}

/** Labels of the event kinds whose name would not be a good label. */
const kindLabels: Record<string, string> = {
  sign_in_failed: 'Sign-in failed',
  factor_failed: 'Second factor rejected',
  identity_linked: 'Provider linked',
  identity_unlinked: 'Provider unlinked',
  invalid_credentials: 'Wrong credentials',
  api_key_created: 'API key created',
  api_key_revoked: 'API key revoked',
  suppressed: 'Further events not logged',
}

/** Returns the label of a kind of event. "signed_in" becomes "Signed in". */
export function formatActivityKind(kind: string): string {
  const text = kind.replaceAll('_', ' ').replace(/^api\b/, 'API')
  return kindLabels[kind] ?? text.charAt(0).toUpperCase() + text.slice(1)
}
