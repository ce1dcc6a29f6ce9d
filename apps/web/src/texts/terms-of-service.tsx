import { type Around, inLanguage } from './language.ts'

const en = {
  termsOfServicePage: {
    service: 'The service',
    operatorOfThisSiteSends:
      'The operator of this site sends alerts about unusual movements of markets to subscribers, and publishes a log by which everybody can check afterwards what was said and when. By making an account or paying for a plan you agree to these terms.',
    signalsNotAdvice: 'Signals, not advice',
    alertSaysThatSomething:
      'An alert says that something unusual was measured. It is no recommendation to buy or sell, and it may be wrong. The proof shows that an alert was stated, by whom and when; it does not show that the alert was right. Past figures promise nothing. You trade at your own risk.',
    yourAccount: 'Your account',
    keepYourPasswordAndWallet:
      'Keep your password and wallet to yourself. What is done in your session counts as done by you.',
    accountIsForOnePerson:
      'An account is for one person or one program. Up to five live connections are open at a time.',
    passingAlertsOnWhileOthers: 'Passing alerts on while others pay for them ends your account.',
    youMayDeleteYourAccount: 'You may delete your account at any time in Settings.',
    plansAndPayment: 'Plans and payment',
    forIto: ({ name, price }: { name: string; price: number }) => `${name} for ${price}\u00a0ITO`,
    plansArePaidInAdvance: ({ plans }: { plans: string }) =>
      `Plans are paid in advance with the ITO token: ${plans}. Nothing renews by itself, and nothing is charged without your signature.`,
    priceChainAndTreasuryStay:
      'Price, chain and treasury stay as they were when you began a purchase, until its time is up.',
    planStartsWhenThePayment:
      'A plan starts when the payment has the confirmations that the operator asks for, and runs to the second. For each paid period there is a signed receipt.',
    paymentThatArrives: 'A payment that arrives while a plan runs starts its period when that plan ends.',
    paymentsInPartsAddUp:
      'Payments in parts add up, and one that comes late still counts. What is too much, or for no plan, is shown to the operator, who credits or returns it.',
    ifAReorganisation:
      'If a reorganisation of the chain removes your payment, its period waits until the payment is back in a block.',
    transactionsCannot:
      'Transactions cannot be reversed. A refund is a new payment by the operator, decided case by case.',
    availability: 'Availability',
    serviceIsGiven:
      'The service is given as it is, without warranty. Chains, nodes and feeds fail; the service says so when it notices. Alerts that were issued while you were away are there when you come back. Alerts are never edited or deleted: corrections are new alerts that point back.',
    ending: 'Ending',
    operatorMaySuspend: ({ contactSupport }: { contactSupport: Around }) => (
      <>
        The operator may suspend an account that breaks these terms, with a reason. Write to {contactSupport('support')}{' '}
        if you think that it was a mistake.
      </>
    ),
    termsOfService: 'Terms of Service',
    whatYouGet: 'What you get, what it costs, and what nobody can promise.',
  },
}

export const termsOfServiceTexts = inLanguage({ en })
