import { inLanguage } from './language.ts'

const en = {
  notFoundPage: {
    pageNotFound: 'Page Not Found',
    nothingStandsAtThisAddress: 'There is nothing at this address.',
    goToTheHomePage: 'Go to the home page',
  },
  reloadOffer: {
    pageCouldNotBeLoaded: 'This page could not be loaded',
    newVersionOrConnection:
      'A new version of Tocsin was released while this page was open, or the connection was lost.',
    partIsMissing: 'Part of this page could not be loaded.',
    reload: 'Reload',
  },
  router: {
    marketIntelligence: 'Market Intelligence',
    logIn: 'Log in',
    verifyEmail: 'Verify email',
    resetPassword: 'Reset password',
    adminSignIn: 'Admin sign-in',
    outbox: 'Outbox',
    documentation: 'Documentation',
    apiReference: 'API Reference',
    contactSupport: 'Contact Support',
    privacyPolicy: 'Privacy Policy',
    termsOfService: 'Terms of Service',
    securityOverview: 'Security Overview',
    transparency: 'Transparency',
    dashboard: 'Dashboard',
    notifications: 'Notifications',
    history: 'History',
    verification: 'Verification',
    settings: 'Settings',
    admin: 'Admin',
    pageNotFound: 'Page Not Found',
    openingYourLink: 'Opening your link…',
  },
}

export const pagesTexts = inLanguage({ en })
