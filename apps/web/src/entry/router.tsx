import { createRootRoute, createRoute, createRouter, Outlet, useMatches } from '@tanstack/react-router'
import { useEffect } from 'react'
import { loadPage } from '../browser/load-page.ts'
import { setTabTitle } from '../browser/tab-title.ts'
import { NotFoundPage } from '../features/site/not-found-page.tsx'
import { paths } from '../paths.ts'
import { HrefLink } from '../ui/href-link.tsx'
import { SiteLinkContext } from '../ui/site-link.tsx'
import { FullPageSpinner } from '../ui/spinner.tsx'
import { RouteError } from './error-boundary.tsx'

/** All routes. Pages are loaded lazily. */
const root = createRootRoute({ component: Site, notFoundComponent: NotFoundPage })

const landing = createRoute({
  getParentRoute: () => root,
  path: paths.home,
  staticData: { title: 'Market Intelligence' },
  component: loadPage(() => import('../features/landing/landing-page.tsx'), 'LandingPage'),
})
const auth = createRoute({
  getParentRoute: () => root,
  path: paths.auth,
  staticData: { title: 'Log in' },
  component: loadPage(() => import('../features/account/auth-page.tsx'), 'AuthPage'),
})
const verifyEmail = createRoute({
  getParentRoute: () => root,
  path: paths.verifyEmail,
  staticData: { title: 'Verify email' },
  component: loadPage(() => import('../features/account/verify-email-page.tsx'), 'VerifyEmailPage'),
  pendingComponent: OpeningLink,
  pendingMs: 0,
})
const resetPassword = createRoute({
  getParentRoute: () => root,
  path: paths.resetPassword,
  staticData: { title: 'Reset password' },
  component: loadPage(() => import('../features/account/reset-password-page.tsx'), 'ResetPasswordPage'),
  pendingComponent: OpeningLink,
  pendingMs: 0,
})
const adminAuth = createRoute({
  getParentRoute: () => root,
  path: paths.adminAuth,
  staticData: { title: 'Admin sign-in' },
  component: loadPage(() => import('../features/account/admin-auth-page.tsx'), 'AdminAuthPage'),
})
const outbox = createRoute({
  getParentRoute: () => root,
  path: paths.outbox,
  staticData: { title: 'Outbox' },
  component: loadPage(() => import('../features/demo/outbox-page.tsx'), 'OutboxPage'),
})

const documentation = createRoute({
  getParentRoute: () => root,
  path: paths.documentation,
  staticData: { title: 'Documentation' },
  component: loadPage(() => import('../features/site/documentation-page.tsx'), 'DocumentationPage'),
})
const apiReference = createRoute({
  getParentRoute: () => root,
  path: paths.apiReference,
  staticData: { title: 'API Reference' },
  component: loadPage(() => import('../features/site/api-reference-page.tsx'), 'ApiReferencePage'),
})
const contactSupport = createRoute({
  getParentRoute: () => root,
  path: paths.contactSupport,
  staticData: { title: 'Contact Support' },
  component: loadPage(() => import('../features/site/contact-support-page.tsx'), 'ContactSupportPage'),
})
const privacyPolicy = createRoute({
  getParentRoute: () => root,
  path: paths.privacyPolicy,
  staticData: { title: 'Privacy Policy' },
  component: loadPage(() => import('../features/site/privacy-policy-page.tsx'), 'PrivacyPolicyPage'),
})
const termsOfService = createRoute({
  getParentRoute: () => root,
  path: paths.termsOfService,
  staticData: { title: 'Terms of Service' },
  component: loadPage(() => import('../features/site/terms-of-service-page.tsx'), 'TermsOfServicePage'),
})
const security = createRoute({
  getParentRoute: () => root,
  path: paths.security,
  staticData: { title: 'Security Overview' },
  component: loadPage(() => import('../features/site/security-page.tsx'), 'SecurityPage'),
})

const transparency = createRoute({
  getParentRoute: () => root,
  path: paths.transparency,
  staticData: { title: 'Transparency' },
  component: loadPage(() => import('../features/transparency/transparency-page.tsx'), 'TransparencyPage'),
})

const trackRecord = createRoute({
  getParentRoute: () => root,
  path: paths.trackRecord,
  staticData: { title: 'Track record' },
  component: loadPage(() => import('../features/record/track-record-page.tsx'), 'TrackRecordPage'),
})

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: loadPage(() => import('../features/dashboard/signed-in-layout.tsx'), 'SignedInLayout'),
})

const dashboard = createRoute({
  getParentRoute: () => signedIn,
  path: paths.dashboard,
  staticData: { title: 'Dashboard' },
  component: loadPage(() => import('../features/dashboard/dashboard-page.tsx'), 'DashboardPage'),
})
const notifications = createRoute({
  getParentRoute: () => signedIn,
  path: paths.notifications,
  staticData: { title: 'Notifications' },
  component: loadPage(() => import('../features/alerts/notifications-page.tsx'), 'NotificationsPage'),
})
const history = createRoute({
  getParentRoute: () => signedIn,
  path: paths.history,
  staticData: { title: 'History' },
  component: loadPage(() => import('../features/account/history-page.tsx'), 'HistoryPage'),
})
const verification = createRoute({
  getParentRoute: () => signedIn,
  path: paths.verification,
  staticData: { title: 'Verification' },
  component: loadPage(() => import('../features/proof/verification-page.tsx'), 'VerificationPage'),
})
const settings = createRoute({
  getParentRoute: () => signedIn,
  path: paths.settings,
  staticData: { title: 'Settings' },
  component: loadPage(() => import('../features/settings/settings-page.tsx'), 'SettingsPage'),
})
const admin = createRoute({
  getParentRoute: () => root,
  path: paths.admin,
  staticData: { title: 'Admin' },
  component: loadPage(() => import('../features/admin/admin-page.tsx'), 'AdminPage'),
})

const routeTree = root.addChildren([
  landing,
  auth,
  verifyEmail,
  resetPassword,
  adminAuth,
  documentation,
  apiReference,
  contactSupport,
  privacyPolicy,
  termsOfService,
  security,
  outbox,
  transparency,
  trackRecord,
  signedIn.addChildren([dashboard, notifications, history, verification, settings]),
  admin,
])

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  defaultErrorComponent: RouteError,
  scrollRestoration: true,
})

/** Sets the tab title. A match without a title is the not-found page. */
function Site() {
  const title = useMatches({ select: (matches) => matches.at(-1)?.staticData.title }) ?? 'Page Not Found'
  useEffect(() => {
    setTabTitle(title)
  }, [title])
  return (
    <SiteLinkContext value={HrefLink}>
      <Outlet />
    </SiteLinkContext>
  )
}

/** Shown at once, because users who follow a link from a mail would otherwise see an empty page. */
function OpeningLink() {
  return <FullPageSpinner>Opening your link…</FullPageSpinner>
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    title?: string
  }
  interface Register {
    router: typeof router
  }
}
