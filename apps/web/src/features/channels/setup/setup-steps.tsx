import type { DestinationKind } from '@tocsin/protocol'
import { type Picture, StepPicture } from './step-picture.tsx'

export interface Step {
  text: string
  picture: Picture
}

const codePicture: Picture = { shape: 'message', from: 'Tocsin', text: 'K7QX2M9A is the code' }

const stepsByKind: Record<DestinationKind, readonly Step[]> = {
  webhook: [
    {
      text: 'Let your program accept POST requests at a public https address.',
      picture: { shape: 'field', label: 'Your program', value: 'POST /tocsin' },
    },
    {
      text: 'Enter the address below. Tocsin then shows a secret. Store it in your program.',
      picture: { shape: 'field', label: 'Secret, shown once', value: 'whsec_mK3v…', button: 'Copy secret' },
    },
    {
      text: 'Let your program return the challenge with status 200.',
      picture: { shape: 'field', label: 'Response 200', value: '{"challenge":"pV9x…"}' },
    },
  ],
  discord: [
    {
      text: 'Open the settings of your Discord server, then Integrations, then Webhooks.',
      picture: { shape: 'menu', entries: ['Overview', 'Roles', 'Integrations'], chosen: 2 },
    },
    {
      text: 'Press New Webhook, choose the channel, and copy the webhook URL.',
      picture: { shape: 'field', label: 'New Webhook', value: '#desk-alerts', button: 'Copy Webhook URL' },
    },
    { text: 'Enter the URL below. Then enter the code that is posted in the channel.', picture: codePicture },
  ],
  slack: [
    {
      text: 'Create an app for your workspace at api.slack.com/apps and open Incoming Webhooks.',
      picture: { shape: 'menu', entries: ['Basic Information', 'Incoming Webhooks', 'App Home'], chosen: 1 },
    },
    {
      text: 'Switch Incoming Webhooks on, add a webhook to a channel, and copy its URL.',
      picture: { shape: 'field', label: '#desk-alerts', value: 'hooks.slack.com/services/…', button: 'Copy' },
    },
    { text: 'Enter the URL below. Then enter the code that is posted in the channel.', picture: codePicture },
  ],
  telegram: [
    {
      text: 'Enter a name, press Add, then create a link.',
      picture: { shape: 'field', label: 'Valid for 15 minutes', value: 't.me/…?start=…', button: 'Create a link' },
    },
    {
      text: 'Open the link and press Start. In a group, add the bot and send /start with the code at the end of the link.',
      picture: { shape: 'message', from: 'Bot', text: 'Alerts of Tocsin', button: 'START' },
    },
    {
      text: 'The bot replies that the chat is linked. Alerts have buttons to mute and to open.',
      picture: { shape: 'message', from: 'Bot', text: 'Linked as “Desk”', button: 'Mute 1 h' },
    },
  ],
  ntfy: [
    {
      text: 'In the ntfy app, subscribe to a topic with a name that cannot be guessed.',
      picture: { shape: 'field', label: 'Topic name', value: 'tocsin-k3v9x2m7', button: 'Subscribe' },
    },
    {
      text: 'Enter server and topic below.',
      picture: { shape: 'field', label: 'Address', value: 'https://ntfy.sh/tocsin-…' },
    },
    { text: 'Enter the code from the notification.', picture: codePicture },
  ],
  email: [
    {
      text: 'Enter the address below.',
      picture: { shape: 'field', label: 'Email address', value: 'name@example.com' },
    },
    { text: 'Enter the code from the email.', picture: codePicture },
    {
      text: 'Choose a digest under Rule if you want one mail an hour or a day.',
      picture: { shape: 'menu', entries: ['At once', 'As an hourly digest', 'As a daily digest'], chosen: 1 },
    },
  ],
  'web-push': [
    {
      text: 'Press Add and allow notifications when your browser asks.',
      picture: { shape: 'message', from: 'Your browser', text: 'Show notifications?', button: 'Allow' },
    },
    {
      text: 'Press Send a code. The code arrives as a notification, and this page enters it for you.',
      picture: codePicture,
    },
    {
      text: 'Alerts arrive even when no page is open and after you log out, until you delete the device here.',
      picture: { shape: 'message', from: 'High, BTC/USDT', text: 'Volume spike', button: 'Open' },
    },
  ],
}

/** Shows the steps to set up a kind of destination, with a picture of each step. */
export function SetupSteps({ kind }: { kind: DestinationKind }) {
  return <StepList steps={stepsByKind[kind]} />
}

export function StepList({ steps }: { steps: readonly Step[] }) {
  return (
    <ol aria-label="Steps" className="grid grid-cols-3 gap-3 text-hint phone:grid-cols-1">
      {steps.map(({ text, picture }, index) => (
        <li
          key={text}
          className="grid content-start gap-2 phone:grid-cols-[112px_minmax(0,1fr)] phone:items-center phone:gap-3"
        >
          <StepPicture picture={picture} />
          <p className="text-2">
            <span className="text-data text-1">{index + 1}</span> {text}
          </p>
        </li>
      ))}
    </ol>
  )
}
