import { inLanguage } from './language.ts'

const en = {
  mailCard: {
    toAddress: ({ to }: { to: string }) => `To ${to}`,
    openLink: ({ link }: { link: string }) => `Open ${link}`,
    showText: 'Show text',
  },
  outboxPage: {
    backToLogin: 'Back to login',
    outbox: 'Outbox',
    inTheDemoNoEmail: 'In the demo no email leaves this machine. Newest first.',
    noEmailYet: 'No email yet',
    signUpOrAsk: 'Sign up or ask for a new password, and the email appears here by itself.',
    loadingEmails: 'Loading emails',
    outboxCantBeReached: 'The outbox can’t be reached.',
    tryAgain: 'Try again',
  },
}

export const demoTexts = inLanguage({ en })
