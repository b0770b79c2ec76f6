// Which form a ballot of a vote has, and how a vote and a ballot are called.

import { ApprovalsControl } from "./approvals_control.js";
import { NumbersControl } from "./numbers_control.js";
import { RankingControl } from "./ranking_control.js";
import { SelectControl } from "./select_control.js";

const ENDS = {
  determined: "Ends when no ballot can change the result any more.",
  complete: "Ends when everybody has voted.",
  deadline: "Ends when the time is over.",
};

/** Whether a question is settled by a vote, whose ballots may be revised until it ends. */
export const isVote = (policy) => policy.kind === "mechanism";

/** How a vote is decided. */
export function voteOf({ name, quorum, ends }) {
  const needed = quorum ? ` It takes ${quorum} ${quorum === 1 ? "voter" : "voters"} at least.` : "";
  return `A vote by ${name.replaceAll("_", " ")}.${needed} ${ENDS[ends] ?? ""} You may revise your ballot until then.`;
}

/** The class of a ballot's form and what it takes. */
export function ballotControl(question, { name, params }) {
  if (["ranked_choice", "ranked_pairwise"].includes(name)) return [RankingControl, question];
  if (name === "score_vote") {
    const [least, most] = [params.min_score, params.max_score];
    return [NumbersControl, { ...question, limits: { least, most, step: "any", budget: null } }];
  }
  if (name === "quadratic_vote") {
    const budget = params.credits_per_voter;
    return [NumbersControl, { ...question, limits: { least: 0, most: budget, step: "1", budget } }];
  }
  if (params.ballot_mode === "approval") {
    return [ApprovalsControl, question];
  }
  return [SelectControl, { ...question, send: "Vote" }];
}

/** What a ballot was called when it was given. */
export function ballotLabel(question, ballot) {
  const label = (id) => question.options.find((option) => option.id === id)?.label ?? id;
  if (Array.isArray(ballot)) return ballot.length ? ballot.map(label).join(", ") : "none of them";
  return Object.entries(ballot).map(([id, number]) => `${label(id)} ${number}`).join(", ");
}
