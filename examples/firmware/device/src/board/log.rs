//! Lines of log go to the console of the emulator, as numbers that the host turns into text with the image:
//! `run.sh log`. Which lines are in an image is decided when it is built, by `DEFMT_LOG`.

use defmt_semihosting as _;
