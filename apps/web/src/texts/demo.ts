import { inLanguage } from './language.ts'

const en = {
  mailCard: {
    toAddress: ({ to }: { to: string }) => `To ${to}`,
    openLink: ({ link }: { link: string }) => `Open ${link}`,
    showText: 'Show text',
  },
  outboxPage: {
    backToLogIn: 'Back to log in',
    outbox: 'Outbox',
    inTheDemoNoMail: 'In the demo no mail leaves this machine. Newest first.',
    noMailYet: 'No mail yet',
    signUpOrAsk: 'Sign up or ask for a new password, and the mail appears here by itself.',
    loadingMails: 'Loading mails',
    outboxCantBeReached: 'The outbox can’t be reached.',
    tryAgain: 'Try again',
  },
}

export const demoTexts = inLanguage({ en })
