//! Sessions: what each side sends, tells and refuses, worked out by hand; and two of them over links that
//! delay, tear and damage what they carry.

mod support;

mod session {
    mod closed;
    mod greeting;
    mod keep_alive;
    mod link;
    mod many;
    mod numbers;
    mod parallel;
    mod puts;
    mod rdma;
    mod requests;
    mod selection;
    mod side;
    mod torn;
}
