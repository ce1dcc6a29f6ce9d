import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  useMatches,
} from '@tanstack/react-router'
import { useEffect } from 'react'
import { NotFoundPage } from './not-found-page.tsx'
import { paths } from './paths.ts'

/** The map of the site. Every page is loaded when it is first shown. */
const root = createRootRoute({ component: Site, notFoundComponent: NotFoundPage })

const landing = createRoute({
  getParentRoute: () => root,
  path: paths.home,
  staticData: { title: 'Market Intelligence' },
  component: lazyRouteComponent(() => import('./features/landing/landing-page.tsx'), 'LandingPage'),
})
const auth = createRoute({
  getParentRoute: () => root,
  path: paths.auth,
  staticData: { title: 'Log in' },
  component: lazyRouteComponent(() => import('./features/account/auth-page.tsx'), 'AuthPage'),
})
const verifyEmail = createRoute({
  getParentRoute: () => root,
  path: paths.verifyEmail,
  staticData: { title: 'Verify email' },
  component: lazyRouteComponent(() => import('./features/account/verify-email-page.tsx'), 'VerifyEmailPage'),
})
const resetPassword = createRoute({
  getParentRoute: () => root,
  path: paths.resetPassword,
  staticData: { title: 'Reset password' },
  component: lazyRouteComponent(() => import('./features/account/reset-password-page.tsx'), 'ResetPasswordPage'),
})
const adminAuth = createRoute({
  getParentRoute: () => root,
  path: paths.adminAuth,
  staticData: { title: 'Admin log in' },
  component: lazyRouteComponent(() => import('./features/account/admin-auth-page.tsx'), 'AdminAuthPage'),
})
const outbox = createRoute({
  getParentRoute: () => root,
  path: paths.outbox,
  staticData: { title: 'Outbox' },
  component: lazyRouteComponent(() => import('./features/demo/outbox-page.tsx'), 'OutboxPage'),
})

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: lazyRouteComponent(() => import('./features/dashboard/signed-in-layout.tsx'), 'SignedInLayout'),
})

const dashboard = createRoute({
  getParentRoute: () => signedIn,
  path: paths.dashboard,
  staticData: { title: 'Dashboard' },
  component: lazyRouteComponent(() => import('./features/dashboard/dashboard-page.tsx'), 'DashboardPage'),
})
const notifications = createRoute({
  getParentRoute: () => signedIn,
  path: paths.notifications,
  staticData: { title: 'Notifications' },
  component: lazyRouteComponent(() => import('./features/alerts/notifications-page.tsx'), 'NotificationsPage'),
})
const history = createRoute({
  getParentRoute: () => signedIn,
  path: paths.history,
  staticData: { title: 'History' },
  component: lazyRouteComponent(() => import('./features/account/history-page.tsx'), 'HistoryPage'),
})
const verification = createRoute({
  getParentRoute: () => signedIn,
  path: paths.verification,
  staticData: { title: 'Verification' },
  component: lazyRouteComponent(() => import('./features/proof/verification-page.tsx'), 'VerificationPage'),
})
const settings = createRoute({
  getParentRoute: () => signedIn,
  path: paths.settings,
  staticData: { title: 'Settings' },
  component: lazyRouteComponent(() => import('./features/settings/settings-page.tsx'), 'SettingsPage'),
})
const admin = createRoute({
  getParentRoute: () => root,
  path: paths.admin,
  staticData: { title: 'Admin' },
  component: lazyRouteComponent(() => import('./features/admin/admin-page.tsx'), 'AdminPage'),
})

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

/** Names the page in the browser's tab. Every page has a title; an address that has none leads nowhere. */
function Site() {
  const title = useMatches({ select: (matches) => matches.at(-1)?.staticData.title }) ?? 'Page Not Found'
  useEffect(() => {
    document.title = `${title} · Tocsin`
  }, [title])
  return <Outlet />
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    title?: string
  }
  interface Register {
    router: typeof router
  }
}
