// What the page says about questions, in words.

import { voteOf } from "./ballots.js";

const HOW = {
  answered: "Answered",
  expired: "Expired",
  withdrawn: "Withdrawn by whoever asked",
  superseded: "Replaced by another question",
  closed: "Closed: the server, or whoever asked, has stopped",
  left: "You are no longer among those asked",
};

const KINDS = { text: "Text", select: "Choice", confirm: "Yes or no" };

const faultsOf = ({ faults = [] }) => faults.map((fault) => String(fault).replace(/^\$\.\w+: /, "")).join("; ");

const REFUSALS = {
  no_live_asker: () => "Whoever asked is away, and secrets are never kept. Answer again when they are back.",
  not_in_audience: () => "You are not, or no longer, among those who may answer this.",
  unknown_question: () => "This question is not there any more.",
  unavailable: () => "The session cannot be reached now. Answer again in a moment.",
  link_lost: () =>
    "The connection was lost, and it is not known whether your answer has arrived. " +
    "If the question is still open when it is back, answer again: nobody is counted twice.",
  invalid_answer: faultsOf,
  bad_answer: faultsOf,
  not_holder: () => "Somebody else has to act on this now.",
  unknown_decision: () => "This decision is not there any more, or is not yours to see any more.",
  no_next_holder: () => "There is nobody to pass it on to: answer or cancel it.",
  store_unavailable: () => "The store cannot be reached now. It may not have been done; try again in a moment.",
  changed_concurrently: () => "Others were quicker, and nothing was changed. Look at it, and try again.",
};

const list = new Intl.ListFormat("en");

export const isSame = (one, other) => one?.kind === other?.kind && one?.id === other?.id;

/** A kind of question. */
export const kindOf = (question) => (question.secret ? "Secret text" : KINDS[question.kind]) ?? "Question";

/**
 * A principal; `me` is told so. The id stands beside a name that is not the same, and the kind with it, but for users:
 * so nobody who is somebody else looks the same, and nobody else is "you".
 */
export function nameOf(who, me = null) {
  if (isSame(who, me)) return "you";
  const kind = who.kind === "user" && who.id !== "you" ? [] : [who.kind];
  const beside = [...kind, ...(who.name === who.id ? [] : [who.id])].join(" ");
  return beside ? `${who.name} (${beside})` : who.name;
}

/** Several of them. */
export const namesOf = (all, me) => list.format(all.map((who) => nameOf(who, me)));

/** Where a question belongs. */
export const scopeOf = (scope) =>
  scope.owner ? `personal matters of ${scope.owner.kind} ${scope.owner.id}` : `session ${scope.session}`;

/** When the answers are enough. */
export function policyOf({ policy, answered, waiting_for: waiting }) {
  const all = answered.length + waiting.length;
  switch (policy.kind) {
    case "first":
      return "Settles with the first answer.";
    case "quorum":
      return policy.count <= all
        ? `Settles when ${policy.count} of ${all} have answered.`
        : `Settles when ${policy.count} have answered; up to now ${all} ${all === 1 ? "is" : "are"} asked.`;
    case "all":
      return policy.join === "live"
        ? `Settles when all ${all} have answered; who joins is asked too.`
        : `Settles when all ${all} have answered.`;
    case "mechanism":
      return voteOf(policy);
    default:
      return `Settles by the policy ${policy.name ?? policy.kind}.`;
  }
}

/** What the deadline will answer by itself; empty if nothing. */
export function defaultOf({ question, default: preset }) {
  if (preset === null) return "";
  return `If nobody answers in time, the answer is “${labelOf(question, preset) ?? preset}”, automatically.`;
}

/** What an answer was called when it was given; null for a text, which is not repeated. */
export function labelOf(question, answer) {
  if (question.kind === "confirm") return answer ? question.allow : question.deny;
  return question.options?.find((option) => option.id === answer)?.label ?? null;
}

const isDeadline = (who) => who.kind === "server" && who.id === "deadline";

/** How a question has ended. */
export function endOf(how, by, me) {
  if (how === "answered" && by.some(isDeadline)) return "Answered automatically, by the deadline";
  if (how === "answered" && by.length) return `Answered by ${namesOf(by, me)}`;
  const answered = by.length ? ` (answered by ${namesOf(by, me)})` : "";
  return (HOW[how] ?? "No longer open") + answered;
}

/** The end of a vote, which counts what there is, in time or not. */
export function voteEnded(by, me) {
  return by.length ? `The vote has ended, with ballots by ${namesOf(by, me)}` : "The vote has ended without a ballot";
}

/** A refusal of an answer. */
export function refusalOf(error) {
  const said = REFUSALS[error.code]?.(error.data ?? {});
  return said || error.message;
}

/** A time of day, epoch seconds; with its date, if that is not today. */
export function instantOf(seconds) {
  const at = new Date(seconds * 1000);
  const isToday = at.toDateString() === new Date().toDateString();
  const time = at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  return isToday ? time : `${time}, ${at.toLocaleDateString([], { day: "numeric", month: "long" })}`;
}

/** A time that is left, seconds. */
export function timeLeft(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const two = (number) => String(number).padStart(2, "0");
  if (hours >= 48) return `${Math.floor(hours / 24)} days left`;
  return `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(whole % 60)} left`;
}

/** At most so many characters, and how many more there are. */
export function shortened(text, most) {
  const characters = [...text];
  const more = characters.length - most;
  return more > 0 ? `${characters.slice(0, most).join("")} … (${more.toLocaleString("en")} more characters)` : text;
}
