/** All paths of the site without parameters. */
export const paths = {
  home: '/',
  auth: '/auth',
  verifyEmail: '/verify-email',
  resetPassword: '/reset-password',
  cancelFactorReset: '/cancel-factor-reset',
  unsubscribe: '/unsubscribe',
  adminAuth: '/admin-auth',
  dashboard: '/dashboard',
  notifications: '/notifications',
  history: '/history',
  verification: '/verification',
  settings: '/settings',
  channels: '/settings/channels',
  admin: '/admin',
  transparency: '/transparency',
  trackRecord: '/track-record',
  documentation: '/documentation',
  apiReference: '/api-reference',
  contactSupport: '/contact-support',
  privacyPolicy: '/privacy-policy',
  termsOfService: '/terms-of-service',
  security: '/security',
  outbox: '/dev/outbox',
} as const

/** Route of the public page of an alert. It is not in `paths`, because it has a parameter. */
export const alertRoute = '/a/$index'

export function createAlertPath(logIndex: number): string {
  return `/a/${logIndex}`
}

/**
 * Route of an asset's page. The build's scripts are in the same folder `/assets/`. Their names
 * contain a dot, so `createAssetPath` escapes dots in the name of an asset.
 */
export const assetRoute = '/assets/$symbol'
