import { inLanguage } from './language.ts'

const en = {
  errorScreen: {
    pageStoppedWorking: 'This page stopped working',
    errorKeptThePage:
      'An error kept it from being shown. Your session, your plan and your payments are not affected. If it happens again, send us the report.',
    tryAgain: 'Try again',
    reload: 'Reload',
    contactSupport: 'Contact Support',
    report: 'Report',
    copyReport: 'Copy report',
    copied: 'Copied',
  },
}

export const errorScreenTexts = inLanguage({ en })
