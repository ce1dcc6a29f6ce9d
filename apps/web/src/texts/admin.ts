import { inLanguage } from './language.ts'

const en = {
  adminHeader: {
    tocsinAdmin: 'Tocsin Admin',
    openDashboard: 'Open dashboard',
    logout: 'Logout',
  },
  adminPage: {
    dashboard: 'Dashboard',
    alerts: 'Alerts',
    userManagement: 'User Management',
    adminArea: 'Admin area',
  },
  adminToasts: {
    nothingWasChanged: 'Nothing was changed',
  },
  fetchFailure: {
    trying: 'Trying…',
    tryAgain: 'Try again',
  },
  loadMore: {
    nextPage: 'The next page could not be read.',
    loading: 'Loading…',
    tryAgain: 'Try again',
    loadMore: 'Load more',
  },
}

export const adminTexts = inLanguage({ en })
