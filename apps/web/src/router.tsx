import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet } from '@tanstack/react-router'
import { Guard } from './guard.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { paths } from './paths.ts'

/** The map of the site. Every page is loaded when it is first shown. */
const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage })

const landing = createRoute({
  getParentRoute: () => root,
  path: paths.home,
  component: lazyRouteComponent(() => import('./features/landing/landing-page.tsx'), 'LandingPage'),
})
const auth = createRoute({
  getParentRoute: () => root,
  path: paths.auth,
  component: lazyRouteComponent(() => import('./features/account/auth-page.tsx'), 'AuthPage'),
})
const verifyEmail = createRoute({
  getParentRoute: () => root,
  path: paths.verifyEmail,
  component: lazyRouteComponent(() => import('./features/account/verify-email-page.tsx'), 'VerifyEmailPage'),
})
const resetPassword = createRoute({
  getParentRoute: () => root,
  path: paths.resetPassword,
  component: lazyRouteComponent(() => import('./features/account/reset-password-page.tsx'), 'ResetPasswordPage'),
})
const adminAuth = createRoute({
  getParentRoute: () => root,
  path: paths.adminAuth,
  component: lazyRouteComponent(() => import('./features/account/admin-auth-page.tsx'), 'AdminAuthPage'),
})
const outbox = createRoute({
  getParentRoute: () => root,
  path: paths.outbox,
  component: lazyRouteComponent(() => import('./features/demo/outbox-page.tsx'), 'OutboxPage'),
})

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: () => (
    <Guard>
      <SignedInLayout />
    </Guard>
  ),
})
const SignedInLayout = lazyRouteComponent(() => import('./features/dashboard/signed-in-layout.tsx'), 'SignedInLayout')

const dashboard = createRoute({
  getParentRoute: () => signedIn,
  path: paths.dashboard,
  component: lazyRouteComponent(() => import('./features/dashboard/dashboard-page.tsx'), 'DashboardPage'),
})
const notifications = createRoute({
  getParentRoute: () => signedIn,
  path: paths.notifications,
  component: lazyRouteComponent(() => import('./features/alerts/notifications-page.tsx'), 'NotificationsPage'),
})
const history = createRoute({
  getParentRoute: () => signedIn,
  path: paths.history,
  component: lazyRouteComponent(() => import('./features/account/history-page.tsx'), 'HistoryPage'),
})
const verification = createRoute({
  getParentRoute: () => signedIn,
  path: paths.verification,
  component: lazyRouteComponent(() => import('./features/proof/verification-page.tsx'), 'VerificationPage'),
})
const settings = createRoute({
  getParentRoute: () => signedIn,
  path: paths.settings,
  component: lazyRouteComponent(() => import('./features/settings/settings-page.tsx'), 'SettingsPage'),
})
const admin = createRoute({
  getParentRoute: () => root,
  path: paths.admin,
  component: () => (
    <Guard adminOnly>
      <AdminPage />
    </Guard>
  ),
})
const AdminPage = lazyRouteComponent(() => import('./features/admin/admin-page.tsx'), 'AdminPage')

const routeTree = root.addChildren([
  landing,
  auth,
  verifyEmail,
  resetPassword,
  adminAuth,
  outbox,
  signedIn.addChildren([dashboard, notifications, history, verification, settings]),
  admin,
])

export const router = createRouter({ routeTree, defaultPreload: 'intent', scrollRestoration: true })

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
