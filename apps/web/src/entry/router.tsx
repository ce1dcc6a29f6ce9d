import {
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  type RouteComponent,
  useLocation,
  useMatches,
} from '@tanstack/react-router'
import { Suspense, useLayoutEffect } from 'react'
import { loadPage } from '../browser/load-page.ts'
import { setTabTitle } from '../browser/tab-title.ts'
import { useOpenedOffline } from '../browser/use-online.ts'
import { NotFoundPage } from '../features/site/not-found-page.tsx'
import { alertRoute, assetRoute, paths } from '../paths.ts'
import { HrefLink } from '../ui/href-link.tsx'
import { lazyLoad } from '../ui/lazy-load.tsx'
import { SiteLinkContext } from '../ui/site-link.tsx'
import { FullPageSpinner } from '../ui/spinner.tsx'
import { RouteError } from './error-boundary.tsx'

const rootRoute = createRootRoute({ component: Site, notFoundComponent: NotFoundPage })

/** The layout of the pages that need a session. It contains the guard of these pages. */
const signedInLayout = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  component: loadPage(() => import('../features/dashboard/signed-in-layout.tsx'), 'SignedInLayout'),
})

/** All pages: path, tab title and component, which is loaded lazily. */
const routeTree = rootRoute.addChildren([
  createPage(paths.home, 'Market Intelligence', 'LandingPage', () => import('../features/landing/landing-page.tsx')),
  createPage(paths.auth, 'Log in', 'AuthPage', () => import('../features/account/auth-page.tsx')),
  createMailedPage(
    paths.verifyEmail,
    'Verify email',
    'VerifyEmailPage',
    () => import('../features/account/verify-email-page.tsx'),
  ),
  createMailedPage(
    paths.resetPassword,
    'Reset password',
    'ResetPasswordPage',
    () => import('../features/account/reset-password-page.tsx'),
  ),
  createMailedPage(
    paths.cancelFactorReset,
    'Keep your second factors',
    'CancelFactorResetPage',
    () => import('../features/account/cancel-factor-reset-page.tsx'),
  ),
  createMailedPage(
    paths.unsubscribe,
    'Unsubscribe',
    'UnsubscribePage',
    () => import('../features/channels/unsubscribe-page.tsx'),
  ),
  createPage(
    paths.adminAuth,
    'Admin sign-in',
    'AdminAuthPage',
    () => import('../features/account/admin-auth-page.tsx'),
  ),
  createPage(paths.outbox, 'Outbox', 'OutboxPage', () => import('../features/demo/outbox-page.tsx')),
  createPage(
    paths.documentation,
    'Documentation',
    'DocumentationPage',
    () => import('../features/site/documentation-page.tsx'),
  ),
  createPage(
    paths.apiReference,
    'API Reference',
    'ApiReferencePage',
    () => import('../features/site/api-reference-page.tsx'),
  ),
  createPage(
    paths.contactSupport,
    'Contact Support',
    'ContactSupportPage',
    () => import('../features/site/contact-support-page.tsx'),
  ),
  createPage(
    paths.privacyPolicy,
    'Privacy Policy',
    'PrivacyPolicyPage',
    () => import('../features/site/privacy-policy-page.tsx'),
  ),
  createPage(
    paths.termsOfService,
    'Terms of Service',
    'TermsOfServicePage',
    () => import('../features/site/terms-of-service-page.tsx'),
  ),
  createPage(paths.security, 'Security Overview', 'SecurityPage', () => import('../features/site/security-page.tsx')),
  createPage(
    paths.transparency,
    'Transparency',
    'TransparencyPage',
    () => import('../features/transparency/transparency-page.tsx'),
  ),
  createPage(
    paths.trackRecord,
    'Track record',
    'TrackRecordPage',
    () => import('../features/record/track-record-page.tsx'),
  ),
  createPage(alertRoute, 'Alert', 'AlertPage', () => import('../features/shared-alert/alert-page.tsx')),
  // AdminPage has its own guard and layout.
  createPage(paths.admin, 'Admin', 'AdminPage', () => import('../features/admin/admin-page.tsx')),
  signedInLayout.addChildren([
    createSignedInPage(
      paths.dashboard,
      'Dashboard',
      'DashboardPage',
      () => import('../features/dashboard/dashboard-page.tsx'),
    ),
    createSignedInPage(
      paths.notifications,
      'Notifications',
      'NotificationsPage',
      () => import('../features/alerts/notifications-page.tsx'),
    ),
    createSignedInPage(paths.history, 'History', 'HistoryPage', () => import('../features/account/history-page.tsx')),
    createSignedInPage(
      paths.verification,
      'Verification',
      'VerificationPage',
      () => import('../features/proof/verification-page.tsx'),
    ),
    createSignedInPage(assetRoute, 'Asset', 'AssetPage', () => import('../features/assets/asset-page.tsx')),
    createSignedInPage(
      paths.settings,
      'Settings',
      'SettingsPage',
      () => import('../features/settings/settings-page.tsx'),
    ),
    createSignedInPage(
      paths.channels,
      'Channels',
      'ChannelsPage',
      () => import('../features/channels/channels-page.tsx'),
    ),
  ]),
])

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  defaultErrorComponent: RouteError,
  scrollRestoration: true,
})

const OfflineSite = lazyLoad(async () => (await import('../features/offline/offline-site.tsx')).OfflineSite)

/**
 * Public pages that do not work without a network, and the admin area. The other signed-in pages
 * have their own offline content.
 */
const onlineOnlyPaths: ReadonlySet<string> = new Set([
  paths.auth,
  paths.adminAuth,
  paths.verifyEmail,
  paths.resetPassword,
  paths.cancelFactorReset,
  paths.unsubscribe,
  paths.outbox,
  paths.contactSupport,
  paths.transparency,
  paths.trackRecord,
  paths.admin,
])
const needsServer = (path: string) =>
  onlineOnlyPaths.has(path.replace(/(.)\/$/, '$1')) || /^\/(?:a|api|assets)\//.test(path)

type ModuleLoader<Name extends string> = () => Promise<Record<Name, RouteComponent>>

function createPage<Path extends string, Name extends string>(
  path: Path,
  title: string,
  name: Name,
  load: ModuleLoader<Name>,
) {
  return createRoute({ getParentRoute: () => rootRoute, path, staticData: { title }, component: loadPage(load, name) })
}

function createSignedInPage<Path extends string, Name extends string>(
  path: Path,
  title: string,
  name: Name,
  load: ModuleLoader<Name>,
) {
  return createRoute({
    getParentRoute: () => signedInLayout,
    path,
    staticData: { title },
    component: loadPage(load, name),
  })
}

/** A page that is opened from a link in an email. */
function createMailedPage<Path extends string, Name extends string>(
  path: Path,
  title: string,
  name: Name,
  load: ModuleLoader<Name>,
) {
  return createPage(path, title, name, load).update({ pendingComponent: OpeningLink, pendingMs: 0 })
}

/** Sets the tab title. A match without a title is the not-found page. */
function Site() {
  const title = useMatches({ select: (matches) => matches.at(-1)?.staticData.title }) ?? 'Page Not Found'
  const { pathname } = useLocation()
  const isOffline = useOpenedOffline(pathname)
  // A layout effect runs before the effects of the page, which may set a more specific title.
  useLayoutEffect(() => {
    setTabTitle(title)
  }, [title])
  return (
    <SiteLinkContext value={HrefLink}>
      {isOffline && needsServer(pathname) ? (
        <Suspense>
          <OfflineSite />
        </Suspense>
      ) : (
        <Outlet />
      )}
    </SiteLinkContext>
  )
}

/**
 * Shown without delay while the page loads. Users who follow a link from an email would otherwise
 * see an empty page.
 */
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
